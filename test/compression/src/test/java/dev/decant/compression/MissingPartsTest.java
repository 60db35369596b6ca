package dev.decant.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.compression.CompressionCodec;
import dev.decant.kafka.record.CompressionType;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A library that is missing ended programs with the error of its first class, in poll, and a jar that many jars were
 * merged into knew one codec of three.
 */
class MissingPartsTest {
  /** The class path of this test, in a loader of its own, without the classes and resources of some names. */
  private static final class Lacking extends URLClassLoader {
    private final String missing;

    Lacking(String missing) {
      super(classPath(), ClassLoader.getPlatformClassLoader());
      this.missing = missing;
    }

    private static URL[] classPath() {
      return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)).map(Path::of)
          .map(Lacking::url).toArray(URL[]::new);
    }

    private static URL url(Path path) {
      try {
        return path.toUri().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException(e);
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.replace('.', '/').startsWith(missing)) {
        throw new ClassNotFoundException(name);
      }
      return super.findClass(name);
    }

    @Override
    public @Nullable URL findResource(String name) {
      return name.startsWith(missing) ? null : super.findResource(name);
    }

    @Override
    public Enumeration<URL> findResources(String name) throws IOException {
      return name.startsWith(missing) ? Collections.emptyEnumeration() : super.findResources(name);
    }

    /** Makes a compressor or decompressor there, and throws as that does. */
    Object make(String method, CompressionType type) throws Throwable {
      Class<?> types = loadClass(CompressionType.class.getName());
      Object same = types.getMethod("valueOf", String.class).invoke(null, type.name());
      Class<?> codecs = loadClass(CompressionCodec.class.getName());
      try {
        if (method.equals("compressor")) {
          return codecs.getMethod(method, types, int.class).invoke(null, same, 3);
        }
        Method make = codecs.getMethod(method, types);
        return make.invoke(null, same);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"LZ4,net/jpountz/,lz4-java", "SNAPPY,org/xerial/,snappy-java", "ZSTD,com/github/luben/,zstd-jni"})
  void libraryThatIsMissingIsNamedWithWhatToAdd(CompressionType type, String classes, String library)
      throws IOException {
    for (String method : new String[] {"compressor", "decompressor"}) {
      try (Lacking loader = new Lacking(classes)) {
        assertThatThrownBy(() -> loader.make(method, type)).asString()
            .startsWith("dev.decant.kafka.record.UnsupportedCompressionException: the library of the codec for " + type
                + " is missing: add " + library + ", which kafka-clients brings (java.lang.NoClassDefFoundError: "
                + classes);
      }
    }
  }

  /** On a system for which the library has no native code, or where it may not be loaded. */
  @Test
  void libraryWhoseNativeCodeIsMissingIsNamed() throws IOException {
    try (Lacking loader = new Lacking("org/xerial/snappy/native/")) {
      for (String method : new String[] {"compressor", "decompressor"}) {
        assertThatThrownBy(() -> loader.make(method, CompressionType.SNAPPY)).asString()
            .startsWith("dev.decant.kafka.record.UnsupportedCompressionException: the library of the codec for SNAPPY"
                + " cannot be loaded: ");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LZ4", "SNAPPY", "ZSTD"})
  void codecIsFoundInAJarThatHasLostTheListOfCodecs(CompressionType type) throws Throwable {
    try (Lacking loader = new Lacking("META-INF/services/")) {
      assertThat(loader.make("compressor", type).getClass().getName()).contains(".codec.");
      assertThat(loader.make("decompressor", type).getClass().getName()).contains(".codec.");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LZ4", "SNAPPY", "ZSTD"})
  void codecThatIsMissingIsNamed(CompressionType type) throws IOException {
    String name = type.name().toLowerCase(Locale.ROOT);
    try (Lacking loader = new Lacking("dev/decant/kafka/codec/" + name + "/")) {
      assertThatThrownBy(() -> loader.make("decompressor", type)).asString().contains(
          "CompressionCodec: Provider dev.decant.kafka.codec." + name, "not found");
    }
  }
}
