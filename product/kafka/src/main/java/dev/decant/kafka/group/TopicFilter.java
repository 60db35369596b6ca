package dev.decant.kafka.group;

import java.util.regex.Pattern;

/**
 * Chooses topics by their names.
 *
 * @param pattern of whole names
 * @param withInternal whether Kafka's internal topics may match
 */
public record TopicFilter(Pattern pattern, boolean withInternal) {
  boolean matches(String topic) {
    return pattern.matcher(topic).matches();
  }
}
