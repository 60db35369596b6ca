package dev.decant.fix;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.PreparedFields;
import dev.decant.fix.session.MessageRing;

/**
 * A message that is written straight into the outgoing buffer of its session. Made once by each thread that sends, and
 * used for any number of messages:
 *
 * <pre>
 * if (order.begin("D") == SendStatus.OK) {
 *   order.text(11, id).character(54, '1').integer(38, 100).decimal(44, 10_125, -2);
 *   order.send();
 * }
 * </pre>
 *
 * <p>The fields are those of the body, in the order in which they are written. Fields of the header that the session
 * does not set, such as PossResend(97) and OnBehalfOfCompID(115), come first. BeginString, BodyLength, MsgType, the
 * CompIDs, MsgSeqNum, SendingTime and CheckSum are the session's.
 *
 * <p>Send or abort a begun message soon: later messages of other threads wait for it. Beginning again aborts what was
 * begun before. One thread at a time.
 */
public final class OutboundMessage extends FieldWriter {
  private static final long NOT_BEGUN = -1;

  private final SessionRunner session;
  private long position = NOT_BEGUN;
  private int msgType;

  OutboundMessage(SessionRunner session) {
    this.session = session;
  }

  /**
   * Claims a place for a message of up to 1,024 bytes after its header.
   *
   * @param type MsgType(35)
   * @return whether it can be written now
   */
  public SendStatus begin(String type) {
    return begin(MsgType.key(type), Math.min(FixSession.DEFAULT_BODY_BYTES, session.maxBodyBytes()));
  }

  /**
   * Claims a place for a message. If the outgoing buffer is full, this does what the session's
   * {@link dev.decant.fix.settings.BackPressure} says; a call from within the application's own callbacks never waits.
   *
   * @param type MsgType as a number, see {@link MsgType#key}
   * @param maxBytes the most that will be written; what is not used is given back
   * @return whether it can be written now
   * @throws IllegalArgumentException if that is more than the session's longest message
   */
  public SendStatus begin(int type, int maxBytes) {
    abort();
    SendStatus status = session.claim(this, maxBytes);
    if (status == SendStatus.OK) {
      msgType = type;
    }
    return status;
  }

  /**
   * Claims a place for a message of prepared fields, and writes them: nothing is left but to {@link #send} it. The
   * prepared fields can be patched again at once.
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

  void claimed(MessageRing ring, long at, int maxBytes) {
    position = at;
    int offset = ring.bodyOffset(at);
    wrap(ring.memory(), offset, offset + maxBytes);
  }

  /**
   * Sends what was written since {@link #begin}. If no other thread drives the engine's loop, this thread numbers it
   * and writes it to the socket. Otherwise the loop's thread does so. Messages leave in the order in which they were
   * begun.
   *
   * @throws IllegalStateException if nothing was begun
   */
  public void send() {
    long at = position;
    if (at == NOT_BEGUN) {
      throw new IllegalStateException("nothing was begun");
    }
    int bytes = position() - start();
    release();
    session.commit(at, msgType, bytes);
  }

  /** Gives up what was begun; nothing is sent. Does nothing if nothing was begun. */
  public void abort() {
    long at = position;
    if (at != NOT_BEGUN) {
      release();
      session.abort(at);
    }
  }

  private void release() {
    position = NOT_BEGUN;
    wrap(buffer(), 0, 0);
  }
}
