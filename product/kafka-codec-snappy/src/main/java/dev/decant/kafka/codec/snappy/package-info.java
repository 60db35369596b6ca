/**
 * Snappy for record batches, by snappy-java. To use it, add the module: {@code compression.type} {@code snappy} is
 * known then, and consumers read its batches.
 *
 * <p>The library loads native code. So that the JVM does not warn of it, grant native access to the module
 * {@code snappy.java}, or on the class path to {@code ALL-UNNAMED}: {@code --enable-native-access}.
 */
@NullMarked
package dev.decant.kafka.codec.snappy;

import org.jspecify.annotations.NullMarked;
