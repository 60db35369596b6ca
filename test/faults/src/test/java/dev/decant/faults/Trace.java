package dev.decant.faults;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ProducerListener;
import java.util.ArrayDeque;

/** What the client told its listeners of batches and connections, the newest lines, to explain a violation with. */
final class Trace implements ProducerListener, ConnectionListener {
  private static final int LINES = 20_000;

  private final long begin = System.nanoTime();
  private final ArrayDeque<String> lines = new ArrayDeque<>(); // guarded by this

  synchronized void add(String line) {
    if (lines.size() == LINES) {
      lines.removeFirst();
    }
    lines.addLast((System.nanoTime() - begin) / 1_000_000 + " ms: " + line);
  }

  @Override
  public void onBatchSent(String topic, int partition, int records, int bytes, int attempt) {
    add(batch(partition, records) + "sent, attempt " + attempt);
  }

  @Override
  public void onBatchAcknowledged(String topic, int partition, long baseOffset, int records, int bytes, long nanos) {
    add(batch(partition, records) + "acknowledged at " + baseOffset);
  }

  @Override
  public void onBatchRetried(String topic, int partition, int records, KafkaException cause) {
    add(batch(partition, records) + "to be sent again: " + cause.getMessage());
  }

  @Override
  public void onBatchFailed(String topic, int partition, int records, KafkaException cause) {
    add(batch(partition, records) + "given up: " + cause.getMessage());
  }

  private static String batch(int partition, int records) {
    return "partition " + partition + ", batch of " + records + ": ";
  }

  @Override
  public void onReady(String broker, long nanos) {
    add("connected to " + broker);
  }

  @Override
  public void onEnded(String broker, int unanswered, KafkaException cause) {
    add("connection ended with " + unanswered + " requests: " + cause.getMessage());
  }

  synchronized String text() {
    return String.join("\n", lines);
  }
}
