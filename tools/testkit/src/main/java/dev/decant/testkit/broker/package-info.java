/** The programs of the JVMs that the test kit starts: brokers, and the admin client of an external cluster. */
@NullMarked
package dev.decant.testkit.broker;

import org.jspecify.annotations.NullMarked;
