package dev.decant.kafka.producer;

import dev.decant.kafka.cluster.BrokerLink;

/**
 * The produce requests to one broker that wait for an answer. While there are several and answers keep coming, a thread
 * with news for the owner of the loop need not wake it: the next answer does, and finds more to send at once. On a
 * loaded connection this saves most wake-ups.
 *
 * <p>Written by the owner of the loop, read by any thread.
 */
final class Pipeline {
  /** With so many requests under way a broker, which works on one at a time, has no pause before the next answer. */
  private static final int FULL = 2;
  /** Answers that are further apart (a long way to the broker, a slow one) are not waited for. */
  private static final long SOON_NANOS = 1_000_000L;

  final BrokerLink link;
  private volatile int unanswered;
  /** Written before {@link #unanswered}, read after it. */
  private long lastAnswerNanos;

  Pipeline(BrokerLink link) {
    this.link = link;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  void sent() {
    unanswered++;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  void answered(long nowNanos) {
    lastAnswerNanos = nowNanos;
    unanswered--;
  }

  /**
   * Whether an answer is about to come. Whoever made its news visible before it asks may leave the news to the owner
   * of the loop, who looks for news after each answer.
   */
  boolean expectsAnswerSoon(long nowNanos) {
    return unanswered >= FULL && nowNanos - lastAnswerNanos < SOON_NANOS;
  }
}
