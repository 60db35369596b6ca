package dev.decant.micronaut;

import io.micronaut.context.exceptions.ConfigurationException;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/** The line that an application gets for a setting that keeps a client from being opened. */
final class Refusal {
  /** Property of the application: false leaves Micronaut's factories where they are. */
  static final String ENABLED = "decant.enabled";

  private static final int LONGEST_NAME = 100;

  private Refusal() {}

  /**
   * Makes the exception of a constructor into that of the bean.
   *
   * @param kind of the client
   * @param config of the client
   * @param failure of its constructor
   * @return the failure itself if it is not about a setting
   */
  static RuntimeException of(String kind, Properties config, KafkaException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConfigException refusal) {
        return new ConfigurationException(line(kind, config, refusal), failure);
      }
    }
    return failure;
  }

  private static String line(String kind, Properties config, ConfigException refusal) {
    StringBuilder line = new StringBuilder("Decant cannot open the ").append(kind);
    name(line, CommonClientConfigs.CLIENT_ID_CONFIG, config);
    name(line, CommonClientConfigs.GROUP_ID_CONFIG, config);
    String reason = String.valueOf(refusal.getMessage()).strip();
    line.append(": ").append(reason).append(reason.endsWith(".") ? "" : ".");
    return line.append(" Correct the setting. If Apache's client takes it, ").append(ENABLED)
        .append("=false goes back to Apache's clients.").toString();
  }

  private static void name(StringBuilder line, String setting, Properties config) {
    @Nullable
    Object value = config.get(setting);
    if (value != null) {
      String text = value.toString().replaceAll("\\p{Cntrl}", "?");
      line.append(" of ").append(setting).append(' ')
          .append(text.length() > LONGEST_NAME ? text.substring(0, LONGEST_NAME) + "..." : text);
    }
  }
}
