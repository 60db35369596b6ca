package dev.decant.spring.boot;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the starter. All others are Boot's {@code spring.kafka.*}.
 *
 * @param enabled false leaves the application as it would be without the starter
 * @param unsupportedSettings what happens if a setting of Kafka's is one that Decant refuses
 */
@ConfigurationProperties("decant")
record DecantProperties(@DefaultValue("true") boolean enabled, @DefaultValue("fail") Unsupported unsupportedSettings) {

  /** What happens if Decant refuses a setting. */
  enum Unsupported {
    /** The application does not start. */
    FAIL,
    /** The factory keeps Apache's clients, and a line in the log says why. */
    APACHE
  }
}
