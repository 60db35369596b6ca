package dev.decant.fix.store;

import dev.decant.fix.status.StoreStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Stores the sequence numbers of a session, and the messages that it may have to resend.
 *
 * <p>One thread at a time calls a store, with a lock of the session: the owner of the engine's loop, or a thread that
 * sends. Each call sees the effects of earlier ones. It should be short, since other threads wait for it. A handler of
 * a replay copies and returns.
 *
 * <p>A store that cannot accept a change (a full disk, a full ring) refuses it and loses nothing. The call returns
 * false, {@link #failure} has the reason, nothing has changed, and the call may be repeated. Accepted messages survive
 * the end of the process. A setting of the store decides how many survive a crash of the machine.
 */
public interface MessageStore extends AutoCloseable {
  /**
   * Returns the number of the next message to be sent.
   *
   * @return 1 in a new session
   */
  long nextOutbound();

  /**
   * Returns the number of the next message expected from the counterparty.
   *
   * @return 1 in a new session
   */
  long nextInbound();

  /**
   * Returns when the numbers began with 1.
   *
   * @return nanoseconds since the epoch
   */
  long createdEpochNanos();

  /**
   * Stores a message that is about to be sent, so that it can be resent.
   *
   * @param number its MsgSeqNum(34), which is {@link #nextOutbound()}
   * @param epochNanos its SendingTime(52), in nanoseconds since the epoch
   * @param buffer holds the message; valid during the call. Its position and limit must not be changed
   * @param from index of its first byte
   * @param to index after its last byte
   * @return false if it cannot be stored now
   * @throws IllegalArgumentException if the number is another one, or the message is larger than the store can ever
   *     hold
   */
  boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to);

  /**
   * Sets the number of the next message to be sent: to skip a message that is not stored (a session message), or for an
   * operator. Stored messages from that number on are forgotten.
   *
   * @param number the next number
   * @param epochNanos the time, in nanoseconds since the epoch
   * @return false if that cannot be stored now
   */
  boolean setNextOutbound(long number, long epochNanos);

  /**
   * Counts a message that arrived in its turn, and stores it if the store keeps received messages.
   *
   * @param number its MsgSeqNum(34), which is {@link #nextInbound()}
   * @param epochNanos when it arrived, in nanoseconds since the epoch
   * @param buffer holds the message; valid during the call. Its position and limit must not be changed
   * @param from index of its first byte
   * @param to index after its last byte
   * @return false if that cannot be stored now
   * @throws IllegalArgumentException if the number is another one, or the message is larger than the store can ever
   *     hold
   */
  boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to);

  /**
   * Sets the number of the next message expected.
   *
   * @param number the next number
   * @param epochNanos the time, in nanoseconds since the epoch
   * @return false if that cannot be stored now
   */
  boolean setNextInbound(long number, long epochNanos);

  /**
   * Resets both numbers to 1 and forgets all messages.
   *
   * @param epochNanos the time, in nanoseconds since the epoch
   * @return false if that cannot be stored now
   */
  boolean reset(long epochNanos);

  /**
   * Called after messages were appended and before they are written to the socket, once for all messages that are ready
   * together. A store that forces each message to the disk does so here.
   *
   * @return false if that has failed: the session sends nothing, and calls again
   */
  boolean commit();

  /**
   * Returns true if {@link #commit} has an effect. If not, it is not called, and the owner of the loop does not wait
   * for threads that send.
   *
   * @return the same for the life of the store; true is the default
   */
  default boolean needsCommit() {
    return true;
  }

  /**
   * Reads messages that were sent, in the order of their numbers. Numbers without a message are skipped.
   *
   * @param fromNumber the first number
   * @param toNumber the last number
   * @param replay receives the messages; it may end the reading, to resume later
   * @throws IOException if stored messages cannot be read
   */
  void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException;

  /**
   * Reads messages that arrived since the last reset, in the order of their arrival, for audits. If a number was set
   * back, later numbers occur more than once.
   *
   * @param fromNumber the first number
   * @param toNumber the last number
   * @param replay receives the messages with their times of arrival; it may end the reading
   * @throws IOException if stored messages cannot be read
   * @throws UnsupportedOperationException if the store does not keep received messages; so does the default method
   */
  default void replayInbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    throw new UnsupportedOperationException("messages that arrive are not kept");
  }

  /**
   * Returns how full the storage is, for operators. The default method returns the name of the class only.
   *
   * @return the present status, also for a closed store
   */
  default StoreStatus status() {
    return new StoreStatus(getClass().getSimpleName(), EpochNanos.instant(createdEpochNanos()), -1, -1);
  }

  /**
   * Returns why the last change was refused.
   *
   * @return null if it was not
   */
  @Nullable
  IOException failure();

  /** Closes the storage, whose files then hold all accepted changes. Further calls have no effect. */
  @Override
  void close();

  /** Receives stored messages. */
  @FunctionalInterface
  interface Replay {
    /**
     * Receives one message.
     *
     * @param number its MsgSeqNum(34)
     * @param epochNanos when it was first sent, in nanoseconds since the epoch
     * @param buffer holds the message; valid during the call. Its position and limit must not be changed
     * @param from index of its first byte
     * @param to index after its last byte
     * @return true to continue; false to end
     */
    boolean onMessage(long number, long epochNanos, ByteBuffer buffer, int from, int to);
  }
}
