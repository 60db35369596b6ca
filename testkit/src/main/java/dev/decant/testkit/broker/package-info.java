/** What runs inside a broker's JVM. It is started by {@link dev.decant.testkit.BrokerNode} and by nobody else. */
@NullMarked
package dev.decant.testkit.broker;

import org.jspecify.annotations.NullMarked;
