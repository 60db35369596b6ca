package dev.decant.kafka.compression;

import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.UnsupportedCompressionException;
import java.util.ServiceLoader;

/**
 * A way to compress records, found by {@link ServiceLoader}: a module says {@code provides CompressionCodec with},
 * a jar on the class path has the same in {@code META-INF/services}. Thread-safe; making one loads nothing. Making a
 * compressor or decompressor loads the library of the codec, so that a missing one is found there.
 */
public interface CompressionCodec {
  /**
   * What it writes and reads.
   *
   * @return not {@link CompressionType#NONE}
   */
  CompressionType type();

  /**
   * Makes a compressor, with the memory that it needs each time.
   *
   * @param level as Kafka's {@code compression.<type>.level} means it; of no effect where the type has no levels
   * @return for one thread at a time, to be closed
   */
  Compressor compressor(int level);

  /**
   * Makes a decompressor, with the memory that it needs each time.
   *
   * @return for one thread at a time, to be closed
   */
  Decompressor decompressor();

  /**
   * Finds the codec for a type.
   *
   * @param type not {@link CompressionType#NONE}
   * @return built in for gzip, else the first of its type that the client's class loader has, or the thread's
   * @throws UnsupportedCompressionException if there is none; the message names the module to add
   */
  static CompressionCodec of(CompressionType type) {
    return InstalledCodecs.find(type);
  }

  /**
   * Finds the codec for a type and makes a compressor.
   *
   * @param type not {@link CompressionType#NONE}
   * @param level as {@link #compressor(int)} has it
   * @return for one thread at a time, to be closed
   * @throws UnsupportedCompressionException if there is no codec, or its library cannot be loaded; the message says
   *     what to add
   */
  static Compressor compressor(CompressionType type, int level) {
    CompressionCodec codec = of(type);
    try {
      return codec.compressor(level);
    } catch (Error e) {
      throw InstalledCodecs.withoutLibrary(type, e);
    }
  }

  /**
   * Finds the codec for a type and makes a decompressor.
   *
   * @param type not {@link CompressionType#NONE}
   * @return for one thread at a time, to be closed
   * @throws UnsupportedCompressionException if there is no codec, or its library cannot be loaded; the message says
   *     what to add
   */
  static Decompressor decompressor(CompressionType type) {
    CompressionCodec codec = of(type);
    try {
      return codec.decompressor();
    } catch (Error e) {
      throw InstalledCodecs.withoutLibrary(type, e);
    }
  }
}
