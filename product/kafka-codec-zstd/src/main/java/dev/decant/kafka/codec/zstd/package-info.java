/**
 * Zstandard for record batches, by zstd-jni. To use it, add the module: {@code compression.type} {@code zstd} is known
 * then, and consumers read its batches.
 *
 * <p>The library loads native code. So that the JVM does not warn of it, grant native access to the module
 * {@code com.github.luben.zstd_jni}, or on the class path to {@code ALL-UNNAMED}: {@code --enable-native-access}.
 */
@NullMarked
package dev.decant.kafka.codec.zstd;

import org.jspecify.annotations.NullMarked;
