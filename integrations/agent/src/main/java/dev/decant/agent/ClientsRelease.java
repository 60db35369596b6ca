package dev.decant.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the release of the kafka-clients that a class loader has. */
final class ClientsRelease {
  /** The file in the jar of kafka-clients that names the release. */
  static final String FILE = "kafka/kafka-version.properties";
  private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(\\D.*)?");
  /** A release of Confluent's builds, which have numbers of their own: 7.6.0-ccs is Kafka 3.6. */
  private static final Pattern CONFLUENT = Pattern.compile(".*-cc?[es]\\b.*");
  private static final int CONFLUENT_AHEAD = 4;
  private static final int MINORS = 10_000;
  private static final int OLDEST = 3 * MINORS + 7;
  private static final int NEWEST_TESTED = 4 * MINORS + 4;

  private ClientsRelease() {}

  /** Returns why a release is too old; empty for 3.7 and newer, and for a jar that does not name its release. */
  static String tooOld(ApacheClass apache, @Nullable ClassLoader loader) {
    if (!apache.prefix().equals(ApacheClass.PUBLISHED)) {
      return hasDelegates(apache.prefix(), loader)
          ? ""
          : "the kafka-clients of " + apache.prefix() + " is older than " + OLDEST / MINORS + "." + OLDEST % MINORS;
    }
    String release = release(loader);
    int number = number(release);
    return number >= 0 && number < OLDEST
        ? "the program has kafka-clients " + release + ", and Decant takes " + OLDEST / MINORS + "." + OLDEST % MINORS
            + " and newer"
        : "";
  }

  /**
   * Returns true if the release is later than those that Decant was tested with.
   *
   * @param relocated true for a relocated copy, because a file beside it belongs to a published kafka-clients
   */
  static boolean isNewerThanTested(@Nullable ClassLoader loader, boolean relocated) {
    return number(release(loader)) > NEWEST_TESTED
        && !(relocated && has(ApacheClass.published(ClientKind.PRODUCER).file(), loader));
  }

  /** Returns the major number times 10,000 plus the minor number; -1 if the text has none. */
  private static int number(String release) {
    Matcher numbers = RELEASE.matcher(release);
    if (!numbers.matches()) {
      return -1;
    }
    int major = Integer.parseInt(numbers.group(1))
        - (CONFLUENT.matcher(release).matches() ? CONFLUENT_AHEAD : 0);
    return Math.max(0, major * MINORS + Integer.parseInt(numbers.group(2)));
  }

  /**
   * Returns true for 3.7 and newer. A jar with a relocated copy has no release file, or that of another kafka-clients
   * in the same jar, so the classes decide.
   */
  private static boolean hasDelegates(String prefix, @Nullable ClassLoader loader) {
    return has((prefix + ".clients.consumer.internals.ConsumerDelegate").replace('.', '/') + ".class", loader);
  }

  private static boolean has(String file, @Nullable ClassLoader loader) {
    return (loader == null ? ClassLoader.getSystemResource(file) : loader.getResource(file)) != null;
  }

  private static String release(@Nullable ClassLoader loader) {
    try (InputStream in = loader == null
        ? ClassLoader.getSystemResourceAsStream(FILE)
        : loader.getResourceAsStream(FILE)) {
      if (in == null) {
        return "";
      }
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version", "");
    } catch (IOException | IllegalArgumentException e) {
      return ""; // another library has a file of this name
    }
  }
}
