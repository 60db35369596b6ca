package dev.decant.kafka.compression;

import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.UnsupportedCompressionException;
import java.util.Iterator;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The codecs of this process, and what to add if one or its library is missing. Any thread. */
final class InstalledCodecs {
  private InstalledCodecs() {}

  static CompressionCodec find(CompressionType type) {
    if (type == CompressionType.NONE) {
      throw new IllegalArgumentException("no compression needs no codec");
    }
    if (type == CompressionType.GZIP) {
      return new GzipCodec();
    }
    CompressionCodec found = null;
    ServiceConfigurationError failure = null;
    try {
      found = offered(type);
    } catch (ServiceConfigurationError e) {
      failure = e;
    }
    if (found == null) {
      found = byName(type);
    }
    if (found != null) {
      return found;
    }
    if (failure != null) {
      throw new UnsupportedCompressionException(type, "a codec is there but cannot be loaded: " + failure.getMessage(),
          failure);
    }
    String module = "dev.decant:decant-kafka-codec-" + lowerCase(type);
    throw new UnsupportedCompressionException(type, "there is no codec for " + type + ": add " + module, null);
  }

  private static @Nullable CompressionCodec offered(CompressionType type) {
    Iterator<CompressionCodec> own = ServiceLoader.load(CompressionCodec.class,
        CompressionCodec.class.getClassLoader()).iterator();
    Iterator<CompressionCodec> ofThread = ServiceLoader.load(CompressionCodec.class).iterator();
    while (own.hasNext() || ofThread.hasNext()) {
      CompressionCodec codec = (own.hasNext() ? own : ofThread).next();
      if (codec.type() == type) {
        return codec;
      }
    }
    return null;
  }

  /**
   * Finds Decant's own codec in a jar that many jars were merged into: tools that do so may keep one of several files
   * of the same name, and then the list of codecs names one of three.
   */
  private static @Nullable CompressionCodec byName(CompressionType type) {
    String name = lowerCase(type);
    String simpleName = Character.toUpperCase(name.charAt(0)) + name.substring(1) + "Codec";
    try {
      return Class.forName("dev.decant.kafka.codec." + name + "." + simpleName, true,
          CompressionCodec.class.getClassLoader()).asSubclass(CompressionCodec.class).getConstructor().newInstance();
    } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
      return null; // the caller says what to add
    }
  }

  /**
   * Says what to add if the library of a codec is missing.
   *
   * @param failure of the codec; an error of the JVM itself is thrown again
   */
  static UnsupportedCompressionException withoutLibrary(CompressionType type, Error failure) {
    if (failure instanceof VirtualMachineError) {
      throw failure;
    }
    // only a class that was looked for and not found has this cause: one that failed before has none
    String message = failure.getCause() instanceof ClassNotFoundException
        ? "the library of the codec for " + type + " is missing: add " + library(type) + " (" + failure + ")"
        : "the library of the codec for " + type + " cannot be loaded: " + deepest(failure);
    return new UnsupportedCompressionException(type, message, failure);
  }

  private static String library(CompressionType type) {
    return switch (type) {
      case LZ4 -> "lz4-java, which kafka-clients brings";
      case SNAPPY -> "snappy-java, which kafka-clients brings";
      case ZSTD -> "zstd-jni, which kafka-clients brings";
      case NONE, GZIP -> "it";
    };
  }

  private static Throwable deepest(Throwable failure) {
    Throwable deepest = failure;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    return deepest;
  }

  private static String lowerCase(CompressionType type) {
    return type.name().toLowerCase(Locale.ROOT);
  }
}
