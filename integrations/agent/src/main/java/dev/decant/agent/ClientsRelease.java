package dev.decant.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The release of the kafka-clients that a class loader has. */
final class ClientsRelease {
  /** In the jar of kafka-clients. */
  static final String FILE = "kafka/kafka-version.properties";
  private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(\\D.*)?");
  /** Confluent's builds count their own releases: 7.6.0-ccs is Kafka 3.6. */
  private static final Pattern CONFLUENT = Pattern.compile(".*-cc?[es]\\b.*");
  private static final int CONFLUENT_AHEAD = 4;
  private static final int OLDEST_MAJOR = 3;
  private static final int OLDEST_MINOR = 7;

  private ClientsRelease() {}

  /**
   * Says why a release is too old.
   *
   * @param loader of the clients
   * @return empty for 3.7 and newer, and for a jar that does not say its release
   */
  static String tooOld(@Nullable ClassLoader loader) {
    String release = release(loader);
    Matcher numbers = RELEASE.matcher(release);
    if (!numbers.matches()) {
      return "";
    }
    int major = Integer.parseInt(numbers.group(1))
        - (CONFLUENT.matcher(release).matches() ? CONFLUENT_AHEAD : 0);
    int minor = Integer.parseInt(numbers.group(2));
    boolean isOld = major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR);
    return isOld
        ? "the program has kafka-clients " + numbers.group() + ", and Decant takes " + OLDEST_MAJOR + "."
            + OLDEST_MINOR + " and newer"
        : "";
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
      return ""; // a file of somebody else's under this name
    }
  }
}
