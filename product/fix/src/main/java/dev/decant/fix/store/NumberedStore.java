package dev.decant.fix.store;

import dev.decant.fix.record.RecordKind;
import dev.decant.fix.record.SequenceNumbers;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A store that keeps each change as a record: the part that all stores of this package share. */
abstract class NumberedStore implements MessageStore {
  static final ByteBuffer NO_BODY = ByteBuffer.allocateDirect(0);

  final SequenceNumbers numbers;
  private final boolean keepsInbound;
  /** Why the last change was refused; null if it was not. */
  @Nullable
  IOException failure;
  /** Set by the session's thread, read by any thread. */
  volatile boolean isClosed;

  /** Creates a store; {@code keepsInbound} is true if it keeps the messages that arrive, and not only their numbers. */
  NumberedStore(SequenceNumbers numbers, boolean keepsInbound) {
    this.numbers = numbers;
    this.keepsInbound = keepsInbound;
  }

  /** Appends a record, see {@link RecordKind}. Returns false if that is impossible now, see {@link #failure}. */
  abstract boolean append(int kind, long number, long epochNanos, ByteBuffer body, int from, int to);

  @Override
  public final long nextOutbound() {
    return numbers.nextOutbound();
  }

  @Override
  public final long nextInbound() {
    return numbers.nextInbound();
  }

  @Override
  public final long createdEpochNanos() {
    return numbers.createdEpochNanos();
  }

  @Override
  public final boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    return append(RecordKind.OUTBOUND, number, epochNanos, buffer, from, to);
  }

  @Override
  public final boolean setNextOutbound(long number, long epochNanos) {
    return append(RecordKind.NEXT_OUTBOUND, number, epochNanos, NO_BODY, 0, 0);
  }

  @Override
  public final boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    return keepsInbound
        ? append(RecordKind.INBOUND_MESSAGE, number, epochNanos, buffer, from, to)
        : append(RecordKind.INBOUND, number, epochNanos, NO_BODY, 0, 0);
  }

  @Override
  public final boolean setNextInbound(long number, long epochNanos) {
    return append(RecordKind.NEXT_INBOUND, number, epochNanos, NO_BODY, 0, 0);
  }

  @Override
  public final boolean reset(long epochNanos) {
    return append(RecordKind.RESET, 1, epochNanos, NO_BODY, 0, 0);
  }

  @Override
  public final @Nullable IOException failure() {
    return failure;
  }

  /** Throws if messages that arrive are not kept. */
  final void requireInbound() {
    if (!keepsInbound) {
      throw new UnsupportedOperationException("messages that arrive are not kept; see FileStores.Builder.keepInbound");
    }
  }

  final void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException("the store is closed");
    }
  }
}
