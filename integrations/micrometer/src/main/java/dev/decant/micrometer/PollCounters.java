package dev.decant.micrometer;

import dev.decant.kafka.event.ConsumerListener;
import io.micrometer.core.instrument.Counter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Counts polls by group, from binding on; consumers keep the time of their last poll meanwhile. Any thread. */
final class PollCounters implements ConsumerListener {
  private final Meters meters;
  private final Map<String, Counter> counters = new ConcurrentHashMap<>();

  PollCounters(Meters meters) {
    this.meters = meters;
  }

  @Override
  public void onPollBegan(String group) {
    Counter counter = counters.get(group);
    if (counter == null) {
      counter = counters.computeIfAbsent(group, this::make);
    }
    if (counter != null) {
      counter.increment();
    }
  }

  private @Nullable Counter make(String group) {
    return meters.make((registry, tags) -> Counter.builder("decant.kafka.polls").description("Calls of poll")
        .tags(tags).tag("group.id", group.isEmpty() ? ConsumerLags.NO_GROUP : group).register(registry));
  }
}
