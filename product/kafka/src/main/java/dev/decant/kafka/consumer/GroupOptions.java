package dev.decant.kafka.consumer;

import dev.decant.kafka.group.ClassicSettings;
import dev.decant.kafka.group.GroupSettings;
import dev.decant.kafka.group.Subscription;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a consumer that concern its group.
 *
 * @param member settings that the group's requests name
 * @param classic further ones of the classic protocol; null for the consumer protocol
 * @param subscription topics to read; null if partitions are assigned explicitly
 * @param autoCommitNanos interval of automatic commits; 0 for none
 * @param revocationTimeoutNanos how long the group waits for a revocation
 * @param maxPollIntervalNanos longest time without a poll before the member leaves; 0 for no bound
 */
record GroupOptions(GroupSettings member, @Nullable ClassicSettings classic, @Nullable Subscription subscription,
    RebalanceListener listener, long autoCommitNanos, long revocationTimeoutNanos, long maxPollIntervalNanos) {
  /**
   * Checks a pattern that this client matches, as it does under the classic protocol. Under the other one the broker
   * refuses patterns that it cannot read.
   */
  void requireReadable(Subscription wanted) {
    String expression = wanted.pattern();
    if (classic != null && expression != null) {
      try {
        Pattern.compile(expression);
      } catch (PatternSyntaxException e) {
        throw new IllegalArgumentException("subscribePattern: \"" + expression + "\" is no expression of"
            + " java.util.regex: " + e.getDescription() + " near index " + e.getIndex(), e);
      }
    }
  }
}
