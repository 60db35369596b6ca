/** A broker in the JVM of the test, whose responses a test can replace or disturb. */
@NullMarked
package dev.decant.kafka.broker;

import org.jspecify.annotations.NullMarked;
