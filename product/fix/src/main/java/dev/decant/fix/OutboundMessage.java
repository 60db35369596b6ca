package dev.decant.fix;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.PreparedFields;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message of an application, in memory of its own. Each sending thread makes one, and uses it for any number of
 * messages:
 *
 * <pre>
 * if (order.begin("D") == SendStatus.OK) {
 *   order.text(11, id).character(54, '1').integer(38, 100).decimal(44, 10_125, -2);
 *   long number = order.send();
 *   if (number &lt; 0) {
 *     notAccepted(id, SendStatus.of(number));
 *   }
 * }
 * </pre>
 *
 * <p>The fields are those of the body, in the order in which they are written. Header fields that the session does not
 * set, such as PossResend(97) and OnBehalfOfCompID(115), come first. The session sets BeginString, BodyLength, MsgType,
 * the CompIDs, MsgSeqNum, SendingTime and CheckSum.
 *
 * <p>The memory grows with the longest message, up to {@code maxMessageBytes}, and is kept. A message that was begun
 * and never sent has no effect. One thread at a time.
 */
public final class OutboundMessage extends FieldWriter {
  private static final int NOT_BEGUN = -1;
  /** Room for the body of a message whose length is not known. */
  private static final int DEFAULT_BODY_BYTES = 1_024;
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocate(0);

  private final SessionSender sender;
  private final int maxBodyBytes;
  /** Holds the fields written so far. It is kept for the next message. */
  private ByteBuffer memory = NO_MEMORY;
  /** MsgType as a number; {@link #NOT_BEGUN} while no message is begun. */
  private int msgType = NOT_BEGUN;

  OutboundMessage(SessionSender sender, int maxBodyBytes) {
    this.sender = sender;
    this.maxBodyBytes = maxBodyBytes;
  }

  /**
   * Begins a message of any length up to the session's {@code maxMessageBytes}.
   *
   * @param type MsgType(35)
   * @return {@link SendStatus#OK} if it can be written now
   */
  public SendStatus begin(String type) {
    return begin(MsgType.key(type), Math.min(DEFAULT_BODY_BYTES, maxBodyBytes));
  }

  /**
   * Begins a message. If the output is full, the {@link dev.decant.fix.settings.BackPressure} of the session decides
   * whether this call waits. Within a callback of the application it never waits. Another thread may take the room, so
   * {@link #send} decides in the end.
   *
   * @param type MsgType as a number, see {@link MsgType#key}
   * @param bytes about how many bytes will be written: there is room for them now, and the memory grows if there are
   *     more
   * @return {@link SendStatus#OK} if it can be written now
   * @throws IllegalArgumentException if {@code bytes} exceeds the session's longest message
   */
  public SendStatus begin(int type, int bytes) {
    abort();
    SendStatus status = sender.admit(bytes);
    if (status == SendStatus.OK) {
      if (memory.capacity() < bytes) {
        memory = ByteBuffer.allocate(bytes);
      }
      wrap(memory, 0, memory.capacity());
      msgType = type;
    }
    return status;
  }

  /**
   * Begins a message and writes prepared fields, so that only {@link #send} is left. The prepared fields may be patched
   * again at once.
   *
   * @param type MsgType(35)
   * @param body all fields of the message
   * @return {@link SendStatus#OK} if the message was written
   * @throws IllegalArgumentException if they are longer than the session's longest message
   */
  public SendStatus begin(String type, PreparedFields body) {
    SendStatus status = begin(MsgType.key(type), body.length());
    if (status == SendStatus.OK) {
      body.copyTo(this);
    }
    return status;
  }

  @Override
  protected @Nullable ByteBuffer largerMemory(long bytes) {
    int most = maxBodyBytes;
    if (msgType == NOT_BEGUN || bytes > most) {
      return null;
    }
    memory = ByteBuffer.allocate((int) Math.min(most, Math.max(bytes, 2L * memory.capacity())));
    return memory;
  }

  /**
   * Numbers, stores and sends the message that was begun. With a store in files, the message survives the death of the
   * process after this call. If no other thread drives the engine's loop, this thread also writes the message to the
   * socket; otherwise the loop's thread does. Messages of all threads leave in the order of their numbers.
   *
   * <p>A message that is not accepted has no number and is stored nowhere. It stays begun, and can be sent again or
   * aborted.
   *
   * @return its MsgSeqNum(34), at least 1; a negative number if it is not accepted now, see {@link SendStatus#of}
   * @throws IllegalStateException if no message was begun
   * @throws IllegalArgumentException if it is larger than the store can ever hold
   */
  public long send() {
    if (msgType == NOT_BEGUN) {
      throw new IllegalStateException("nothing was begun");
    }
    long number = sender.send(msgType, buffer(), start(), position());
    if (number > 0) {
      msgType = NOT_BEGUN;
      wrap(memory, 0, 0);
    }
    return number;
  }

  /** Discards the message that was begun, if there is one. Nothing is sent. */
  public void abort() {
    if (msgType != NOT_BEGUN) {
      msgType = NOT_BEGUN;
      wrap(memory, 0, 0);
    }
  }
}
