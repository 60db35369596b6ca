package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/**
 * Tests the end of the stack at any call within a send. Each dive ends at another place, and many sends are tried on
 * the way up. Each dive tries every fourth call, since a failing send costs a millisecond; other dives try the others.
 */
class StackOverflowInSendTest extends AgainstScriptedBroker {
  private static final int DIVES = 40;
  private static final int SENDS = 100;
  private static final int STRIDE = 4;
  private static final int DEEPEST = 100_000;
  private static final long STACK_BYTES = 256 * 1024;

  private final AtomicIntegerArray recorded = new AtomicIntegerArray(DIVES * SENDS);
  private final boolean[] accepted = new boolean[recorded.length()];
  private final SendListener listener = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      recorded.incrementAndGet((int) tag);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      recorded.incrementAndGet((int) tag);
    }
  };
  private int tag;

  StackOverflowInSendTest() {
    super(1, LATER);
  }

  /** Dives to the end of the stack, and sends on the way up, first where little of it is left. */
  private void dive(Producer<String, String> producer, int depth) {
    if (depth == DEEPEST) {
      return;
    }
    try {
      dive(producer, depth + 1);
    } catch (StackOverflowError e) {
      int mine = tag;
      if ((depth + mine / SENDS) % STRIDE != 0) {
        throw e;
      }
      if (mine % SENDS == SENDS - 1) {
        return;
      }
      tag++;
      producer.send("k", "v", mine, listener); // throws the same error until there is enough stack
      accepted[mine] = true;
    }
  }

  @Test
  void whatWasAcceptedIsReportedOnceAndNothingWaitsForWhatWasNot() throws InterruptedException {
    try (Producer<String, String> producer = producer().linger(Duration.ofMillis(1)).deliveryTimeout(LATER).open()) {
      producer.sendAndWait("k", "v"); // loads all classes
      Thread diver = new Thread(null, () -> {
        for (int i = 0; i < DIVES; i++) {
          tag = i * SENDS;
          try {
            dive(producer, 0);
          } catch (StackOverflowError e) {
            // the topmost calls try no send
          }
        }
      }, "diver", STACK_BYTES);
      diver.start();
      diver.join();

      assertThat(producer.flush(LATER)).isTrue();
      producer.sendAndWait("k", "after");
    }
    int count = 0;
    for (int i = 0; i < accepted.length; i++) {
      if (accepted[i]) {
        assertThat(recorded.get(i)).as("record %d", i).isEqualTo(1);
        count++;
      } else {
        assertThat(recorded.get(i)).as("record %d", i).isLessThanOrEqualTo(1);
      }
    }
    assertThat(count).isPositive();
  }
}
