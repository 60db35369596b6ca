package dev.decant.kafka.group;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a member wants to read.
 *
 * @param topics names; empty with a pattern
 * @param pattern an expression that the broker matches against all topics (RE2J); null for none
 * @param filter chooses among all topics here, under both protocols; null for none
 */
public record Subscription(List<String> topics, @Nullable String pattern, @Nullable TopicFilter filter) {
  /** Copies the list. */
  public Subscription {
    topics = List.copyOf(topics);
  }

  /**
   * Names, or an expression that the broker matches.
   *
   * @param topics names; empty with a pattern
   * @param pattern an expression; null for none
   */
  public Subscription(List<String> topics, @Nullable String pattern) {
    this(topics, pattern, null);
  }
}
