/**
 * LZ4 for record batches, by lz4-java. To use it, add the module: {@code compression.type} {@code lz4} is known then,
 * and consumers read its batches.
 *
 * <p>The library loads native code, and without that works in Java. So that the JVM does not warn of it, grant native
 * access to the module {@code org.lz4.java}, or on the class path to {@code ALL-UNNAMED}:
 * {@code --enable-native-access}.
 */
@NullMarked
package dev.decant.kafka.codec.lz4;

import org.jspecify.annotations.NullMarked;
