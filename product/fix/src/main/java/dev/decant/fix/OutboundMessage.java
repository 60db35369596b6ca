package dev.decant.fix;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.PreparedFields;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message of an application, written into memory of its own. Made once by each thread that sends, and used for any
 * number of messages:
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
 * <p>The fields are those of the body, in the order in which they are written. Fields of the header that the session
 * does not set, such as PossResend(97) and OnBehalfOfCompID(115), come first. BeginString, BodyLength, MsgType, the
 * CompIDs, MsgSeqNum, SendingTime and CheckSum are the session's.
 *
 * <p>The memory grows with the longest message up to {@code maxMessageBytes}, and is kept. A message that was begun and
 * is never sent concerns nobody. One thread at a time.
 */
public final class OutboundMessage extends FieldWriter {
  private static final int NOT_BEGUN = -1;
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocate(0);

  private final SessionRunner session;
  private ByteBuffer memory = NO_MEMORY;
  private int msgType = NOT_BEGUN;

  OutboundMessage(SessionRunner session) {
    this.session = session;
  }

  /**
   * Begins a message, of any length up to the session's {@code maxMessageBytes}.
   *
   * @param type MsgType(35)
   * @return whether it can be written now
   */
  public SendStatus begin(String type) {
    return begin(MsgType.key(type), Math.min(FixSession.DEFAULT_BODY_BYTES, session.maxBodyBytes()));
  }

  /**
   * Begins a message. If the output is full, this does what the session's
   * {@link dev.decant.fix.settings.BackPressure} says; a call from within the application's own callbacks never waits.
   * Another thread may take the room: {@link #send} decides.
   *
   * @param type MsgType as a number, see {@link MsgType#key}
   * @param bytes how many will be written, about: there is room for them now, and more memory is taken if need be
   * @return whether it can be written now
   * @throws IllegalArgumentException if that is more than the session's longest message
   */
  public SendStatus begin(int type, int bytes) {
    abort();
    SendStatus status = session.sender().admit(bytes);
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
   * Begins a message of prepared fields, and writes them: nothing is left but to {@link #send} it. The prepared fields
   * can be patched again at once.
   *
   * @param type MsgType(35)
   * @param body all fields of the message
   * @return whether it was written
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
    int most = session.maxBodyBytes();
    if (msgType == NOT_BEGUN || bytes > most) {
      return null;
    }
    memory = ByteBuffer.allocate((int) Math.min(most, Math.max(bytes, 2L * memory.capacity())));
    return memory;
  }

  /**
   * Sends what was written since {@link #begin}: numbers it and stores it on this thread. With a store in files, the
   * death of the process loses nothing from then on. If no other thread drives the engine's loop, this thread also
   * writes it to the socket. Otherwise the loop's thread does so. Messages of all threads leave in the order of their
   * numbers.
   *
   * <p>A message that is not accepted stays begun, has no number and is nowhere else: it can be sent again, or given
   * up.
   *
   * @return its MsgSeqNum(34), at least 1; a negative number if it is not accepted now, see {@link SendStatus#of}
   * @throws IllegalStateException if nothing was begun
   * @throws IllegalArgumentException if it is larger than the store can ever keep
   */
  public long send() {
    if (msgType == NOT_BEGUN) {
      throw new IllegalStateException("nothing was begun");
    }
    long number = session.sender().send(msgType, buffer(), start(), position());
    if (number > 0) {
      msgType = NOT_BEGUN;
      wrap(memory, 0, 0);
    }
    return number;
  }

  /** Gives up what was begun; nothing is sent. Does nothing if nothing was begun. */
  public void abort() {
    if (msgType != NOT_BEGUN) {
      msgType = NOT_BEGUN;
      wrap(memory, 0, 0);
    }
  }
}
