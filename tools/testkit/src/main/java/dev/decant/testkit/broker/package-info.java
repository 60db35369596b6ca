/** What runs in the JVMs that the test kit starts: brokers, and the admin client of a cluster that runs elsewhere. */
@NullMarked
package dev.decant.testkit.broker;

import org.jspecify.annotations.NullMarked;
