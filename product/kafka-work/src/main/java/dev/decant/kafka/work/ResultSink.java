package dev.decant.kafka.work;

import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.work.bridge.CopySink;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes the copy of a record one of its results, which the transaction of the record stores. So the copy counts as
 * stored at once. If its topic refuses it later, {@link Failures#refused} is called.
 */
final class ResultSink implements CopySink {
  @Override
  public boolean send(String topic, byte @Nullable [] key, byte @Nullable [] value, SendOptions options,
      SendListener outcome) {
    if (!(outcome instanceof SlotListener of)) {
      throw new IllegalArgumentException("the copy of no record under way");
    }
    Slot<?, ?> slot = of.slot();
    slot.dropResults();
    slot.addsResults().add(topic, key, value, options);
    slot.isCopied = true;
    outcome.onAck(0, slot.in().id.partition(), -1, -1);
    return true;
  }

  @Override
  public void close(Duration timeout) {}
}
