package dev.decant.fix.store;

import dev.decant.fix.status.StoreStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where a session keeps its sequence numbers, and the messages it may have to send again.
 *
 * <p>Called by one thread at a time, with a lock of the session: the owner of the engine's loop, or a thread that
 * sends. Each call sees what earlier ones have done. It should be short, since the other threads wait for it. A handler
 * of a replay copies and returns.
 *
 * <p>While the storage cannot take changes (a full disk, a full ring), it refuses them and loses none. The call returns
 * false, {@link #failure} says why, nothing has changed, and it may be tried again. Accepted messages survive the end
 * of the process. A setting of the store decides how many survive a crash of the machine.
 */
public interface MessageStore extends AutoCloseable {
  /**
   * The number of the next message to be sent.
   *
   * @return 1 in a new session
   */
  long nextOutbound();

  /**
   * The number of the next message expected from the counterparty.
   *
   * @return 1 in a new session
   */
  long nextInbound();

  /**
   * When the numbers began with 1.
   *
   * @return nanoseconds since the epoch
   */
  long createdEpochNanos();

  /**
   * Keeps a message that is about to be sent, so that it can be sent again.
   *
   * @param number its MsgSeqNum(34), which is {@link #nextOutbound()}
   * @param epochNanos its SendingTime(52), in nanoseconds since the epoch
   * @param buffer holds it; valid during the call, its position and limit are not to be touched
   * @param from index of its first byte
   * @param to index after its last byte
   * @return false if it cannot be kept now
   * @throws IllegalArgumentException if the number is another one, or the message is larger than the store can ever
   * keep
   */
  boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to);

  /**
   * Sets the number of the next message to be sent: beyond messages that are not kept (administrative ones), or as an
   * operator wants it. Messages kept under the new number and above are forgotten.
   *
   * @param number the next number
   * @param epochNanos the time, in nanoseconds since the epoch
   * @return false if that cannot be kept now
   */
  boolean setNextOutbound(long number, long epochNanos);

  /**
   * Notes that a message has arrived in its turn, and keeps it if the store keeps what arrives.
   *
   * @param number its MsgSeqNum(34), which is {@link #nextInbound()}
   * @param epochNanos when it arrived, in nanoseconds since the epoch
   * @param buffer holds it; valid during the call, its position and limit are not to be touched
   * @param from index of its first byte
   * @param to index after its last byte
   * @return false if that cannot be kept now
   * @throws IllegalArgumentException if the number is another one, or the message is larger than the store can ever
   * keep
   */
  boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to);

  /**
   * Sets the number of the next message expected.
   *
   * @param number the next number
   * @param epochNanos the time, in nanoseconds since the epoch
   * @return false if that cannot be kept now
   */
  boolean setNextInbound(long number, long epochNanos);

  /**
   * Begins anew: both numbers become 1, no message is left to be sent again.
   *
   * @param epochNanos the time, in nanoseconds since the epoch
   * @return false if that cannot be kept now
   */
  boolean reset(long epochNanos);

  /**
   * Called after messages were appended and before they are written to the socket, once for all that are ready
   * together. A store that forces each message to the disk does it here.
   *
   * @return false if that has failed; the session does not send, and tries again
   */
  boolean commit();

  /**
   * Tells whether {@link #commit} has an effect. If not, it is not called, and the owner of the loop does not wait for
   * threads that send.
   *
   * @return the same for the life of the store; true is the default
   */
  default boolean needsCommit() {
    return true;
  }

  /**
   * Reads messages that were sent, in the order of their numbers. Numbers without a message are left out.
   *
   * @param fromNumber the first number
   * @param toNumber the last number
   * @param replay takes them; may end the reading, to resume later
   * @throws IOException if what is stored cannot be read
   */
  void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException;

  /**
   * Reads messages that arrived since the numbers began, in the order in which they arrived; for audit. A number that
   * was set back is there more than once.
   *
   * @param fromNumber the first number
   * @param toNumber the last number
   * @param replay takes them, with the time when they arrived; may end the reading
   * @throws IOException if what is stored cannot be read
   * @throws UnsupportedOperationException if the store does not keep what arrives; so does the default
   */
  default void replayInbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    throw new UnsupportedOperationException("messages that arrive are not kept");
  }

  /**
   * How full the storage is, for operators. The default knows the class alone.
   *
   * @return the status of now; also of a closed store
   */
  default StoreStatus status() {
    return new StoreStatus(getClass().getSimpleName(), EpochNanos.instant(createdEpochNanos()), -1, -1);
  }

  /**
   * Why the last change was refused.
   *
   * @return null if it was not
   */
  @Nullable
  IOException failure();

  /** Ends the use of the storage: what was accepted is in its files when this returns. Again: does nothing. */
  @Override
  void close();

  /** Takes stored messages. */
  @FunctionalInterface
  interface Replay {
    /**
     * One message.
     *
     * @param number its MsgSeqNum(34)
     * @param epochNanos when it was sent first, in nanoseconds since the epoch
     * @param buffer holds it; valid during the call, its position and limit are not to be touched
     * @param from index of its first byte
     * @param to index after its last byte
     * @return true to continue; false to end
     */
    boolean onMessage(long number, long epochNanos, ByteBuffer buffer, int from, int to);
  }
}
