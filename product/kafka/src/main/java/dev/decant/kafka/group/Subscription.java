package dev.decant.kafka.group;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The topics that a member subscribes to.
 *
 * @param topics names; empty with a pattern
 * @param pattern an expression that the broker matches against all topics (RE2J); null for none
 * @param filter matched by this client against all topics, under both protocols; null for none
 */
public record Subscription(List<String> topics, @Nullable String pattern, @Nullable TopicFilter filter) {
  /** Copies the list. */
  public Subscription {
    topics = List.copyOf(topics);
  }

  /** Creates a subscription by names, or by an expression that the broker matches. */
  public Subscription(List<String> topics, @Nullable String pattern) {
    this(topics, pattern, null);
  }
}
