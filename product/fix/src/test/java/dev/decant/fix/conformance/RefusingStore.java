package dev.decant.fix.conformance;

import dev.decant.fix.store.MessageStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that refuses changes on command, as on a full disk. It fails if a session sets a number back or skips one of
 * its own.
 */
final class RefusingStore implements MessageStore {
  private final MessageStore store;
  private final BooleanSupplier refuses;
  /** Numbers that were given to messages and are still to be seen at the connection. */
  private final Deque<Long> taken = new ArrayDeque<>();
  private @Nullable IOException failure;
  private boolean operator;

  RefusingStore(MessageStore store, BooleanSupplier refuses) {
    this.store = store;
    this.refuses = refuses;
  }

  /** Numbers of messages in the order in which they were given. */
  Deque<Long> taken() {
    return taken;
  }

  /** Lets the operator set numbers as he likes; false when he is done. */
  void operator(boolean value) {
    operator = value;
  }

  private boolean isRefused() {
    failure = refuses.getAsBoolean() ? new IOException("the disk is full") : null;
    return failure != null;
  }

  private static void require(boolean condition, String problem) {
    if (!condition) {
      throw new AssertionError(problem);
    }
  }

  @Override
  public long nextOutbound() {
    return store.nextOutbound();
  }

  @Override
  public long nextInbound() {
    return store.nextInbound();
  }

  @Override
  public long createdEpochNanos() {
    return store.createdEpochNanos();
  }

  @Override
  public boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    boolean done = !isRefused() && store.appendOutbound(number, epochNanos, buffer, from, to);
    if (done) {
      taken.add(number);
    }
    return done;
  }

  @Override
  public boolean setNextOutbound(long number, long epochNanos) {
    long next = store.nextOutbound();
    require(operator || number == next + 1, "the next outbound number goes from " + next + " to " + number);
    if (isRefused()) {
      return false;
    }
    if (!operator) {
      taken.add(next);
    }
    return store.setNextOutbound(number, epochNanos);
  }

  @Override
  public boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    return !isRefused() && store.appendInbound(number, epochNanos, buffer, from, to);
  }

  @Override
  public boolean setNextInbound(long number, long epochNanos) {
    long next = store.nextInbound();
    require(operator || number > next, "the next inbound number goes from " + next + " to " + number);
    return !isRefused() && store.setNextInbound(number, epochNanos);
  }

  @Override
  public boolean reset(long epochNanos) {
    return !isRefused() && store.reset(epochNanos);
  }

  @Override
  public boolean commit() {
    return !isRefused() && store.commit();
  }

  @Override
  public void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    if (isRefused()) {
      throw new IOException("the disk cannot be read");
    }
    store.replayOutbound(fromNumber, toNumber, replay);
  }

  @Override
  public @Nullable IOException failure() {
    return failure;
  }

  @Override
  public void close() {
    store.close();
  }
}
