package dev.decant.kafka.compression;

import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.UnsupportedCompressionException;
import java.util.Iterator;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * A way to compress records, found by {@link ServiceLoader}: a module says {@code provides CompressionCodec with},
 * a jar on the class path has the same in {@code META-INF/services}. Thread-safe; making one loads nothing.
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
    if (type == CompressionType.NONE) {
      throw new IllegalArgumentException("no compression needs no codec");
    }
    if (type == CompressionType.GZIP) {
      return new GzipCodec();
    }
    try {
      Iterator<CompressionCodec> own = ServiceLoader.load(CompressionCodec.class,
          CompressionCodec.class.getClassLoader()).iterator();
      Iterator<CompressionCodec> ofThread = ServiceLoader.load(CompressionCodec.class).iterator();
      while (own.hasNext() || ofThread.hasNext()) {
        CompressionCodec codec = (own.hasNext() ? own : ofThread).next();
        if (codec.type() == type) {
          return codec;
        }
      }
    } catch (ServiceConfigurationError e) {
      throw new UnsupportedCompressionException(type, "a codec is there but cannot be loaded: " + e.getMessage(), e);
    }
    String module = "dev.decant:decant-kafka-codec-" + type.name().toLowerCase(Locale.ROOT);
    throw new UnsupportedCompressionException(type, "there is no codec for " + type + ": add " + module, null);
  }
}
