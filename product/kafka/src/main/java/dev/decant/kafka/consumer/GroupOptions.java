package dev.decant.kafka.consumer;

import dev.decant.kafka.group.ClassicSettings;
import dev.decant.kafka.group.GroupSettings;
import dev.decant.kafka.group.Subscription;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer was opened with, as far as its group is concerned.
 *
 * @param member what is told to the group
 * @param classic the same under the classic protocol; null for the consumer protocol
 * @param subscription what to read; null where partitions are assigned explicitly
 * @param listener hears of partitions that come and go
 * @param autoCommitNanos how often what was processed is committed; 0 for never
 * @param revocationTimeoutNanos how long the group waits for partitions to be given back
 * @param maxPollIntervalNanos how long the application may not poll before others get its partitions; 0 for ever
 */
record GroupOptions(GroupSettings member, @Nullable ClassicSettings classic, @Nullable Subscription subscription,
    RebalanceListener listener, long autoCommitNanos, long revocationTimeoutNanos, long maxPollIntervalNanos) {
  /** Under the classic protocol this client matches patterns itself; a broker says what it cannot read. */
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
