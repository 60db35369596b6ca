package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.WhileClosed;
import dev.decant.fix.store.MessageStore;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives messages their number and a place in the store, and puts them behind what is to be written. All of that is one
 * step under the session's lock, whoever sends: so no number is used twice or left out, and the output has the order of
 * the numbers. A message that has a number is in the store.
 *
 * <pre>
 *   senders, and the owner           the owner
 *   number, encode, store, publish -> ring   -> socket
 *                    encode again -> replay -> socket
 * </pre>
 *
 * <p>Public methods: any thread. The rest: owner of the session only.
 */
public final class OutboundMessages {
  /** Of {@link #send}, in place of a number: the output is full. */
  public static final long NO_ROOM = -1;
  /** Of {@link #send}, in place of a number: the session takes no messages now. */
  public static final long SHUT = -2;
  /** Of {@link #send}, in place of a number: the store takes nothing, see {@link #sendFailure}. */
  public static final long STORE_REFUSES = -3;
  /** Of {@link #send}, in place of a number: the session is closed by its schedule. */
  public static final long CLOSED = -4;

  /** What becomes of messages that threads send. */
  enum Gate {
    /** They are refused. */
    SHUT,
    /** They are refused until the window of the schedule opens. */
    CLOSED,
    /** They are numbered and stored, for the counterparty to ask for them. */
    TO_STORE,
    /** They are numbered and stored, and go to the socket. */
    TO_SOCKET
  }

  /** What is left free for messages of the session: this part of ring and replay, but not more than so many bytes. */
  private static final int RESERVE_SHARE = 8;
  private static final int MAX_RESERVE_BYTES = 16 * 1024;
  private static final long ANY_NUMBER = 0;

  private static final VarHandle LAST_SENT;
  private static final VarHandle SENT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      LAST_SENT = lookup.findVarHandle(OutboundMessages.class, "lastSentNanos", long.class).withInvokeExactBehavior();
      SENT = lookup.findVarHandle(OutboundMessages.class, "sent", long.class).withInvokeExactBehavior();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final SessionSettings settings;
  private final SessionLock lock;
  private final SessionTime time;
  private final int reserve;
  private final int replayReserve;
  private final OutputCounters counters = new OutputCounters();

  // Guarded by the lock.
  private final MessageStore store;
  private final OutputRing ring;
  private final MessageEncoder encoder;
  /** Older messages are being sent again: what is sent meanwhile is held back. */
  private boolean holds;
  /** The bytes of the message that was encoded last. */
  private int encodedBytes;
  /** The number of the first message that is held back; 0 if none is. */
  private long firstHeld;
  /** Messages that were accepted, and that the socket was not given. */
  private final UnsentMessages unsent = new UnsentMessages();
  /** Those that the last reset has discarded. */
  private final UnsentMessages discarded = new UnsentMessages();
  /** Of a connection that is broken and still to be ended, the first number that it has not taken; 0 otherwise. */
  private long brokenFrom;
  /** The number of the last message that was put into ring or replay as a new one. */
  private long lastPublished;
  /** Messages that threads have sent and the socket is to get. Read by the owner without the lock: through SENT. */
  private long sent;

  /** Set under the lock, read by any thread. */
  private volatile Gate gate;
  /** Why the store refused the message of a thread last. */
  private volatile @Nullable IOException sendFailure;
  /** Set under the lock or by the owner, read by the owner: through LAST_SENT. */
  @SuppressWarnings("UnusedVariable")
  private long lastSentNanos;

  // Owner only.
  private final GuardedStore guarded;
  private final OutputBuffer replay;
  private final MessageEncoder replayEncoder;
  private final AdminBodies bodies;
  /** LastMsgSeqNumProcessed(369) of the next message of the session. */
  private long lastProcessed;
  private boolean isClosed;
  /** The window of the schedule is closed. */
  private boolean isOutOfHours;
  /** The next logon begins with number 1, and what got a number before it would be lost. */
  private boolean discardsNumbers;

  OutboundMessages(SessionSettings settings, SessionLock lock, MessageStore store, GuardedStore guarded,
      SessionTime time, LoopMemory memory) {
    this.settings = settings;
    this.lock = lock;
    this.store = store;
    this.guarded = guarded;
    this.time = time;
    bodies = memory.adminBodies();
    ring = new OutputRing(settings.ringBytes(), memory.chunks());
    replay = new OutputBuffer(settings.outputBytes(), memory.chunks());
    encoder = new MessageEncoder(settings);
    replayEncoder = new MessageEncoder(settings);
    reserve = Math.min(settings.ringBytes() / RESERVE_SHARE, MAX_RESERVE_BYTES);
    replayReserve = Math.min(settings.outputBytes() / RESERVE_SHARE, MAX_RESERVE_BYTES);
    discardsNumbers = settings.resetOnLogon();
    gate = whileLoggedOut();
  }

  SessionOutput output(Departure departure) {
    return new SessionOutput(lock, ring, replay, guarded, departure);
  }

  private Gate whileLoggedOut() {
    if (isOutOfHours && !isClosed) {
      return settings.whileClosed() == WhileClosed.REFUSE ? Gate.CLOSED : discardsNumbers ? Gate.SHUT : Gate.TO_STORE;
    }
    return settings.sendWhileLoggedOut() && !isClosed && !discardsNumbers ? Gate.TO_STORE : Gate.SHUT;
  }

  // Any thread.

  /**
   * Tells whether application messages are taken.
   *
   * @return false if {@link #send} would give {@link #SHUT}
   */
  public boolean isTaken() {
    Gate now = gate;
    return now == Gate.TO_SOCKET || now == Gate.TO_STORE;
  }

  /**
   * Tells whether messages are refused because the window of the schedule is closed.
   *
   * @return true if {@link #send} would give {@link #CLOSED}
   */
  public boolean isOutOfHours() {
    return gate == Gate.CLOSED;
  }

  /**
   * The messages that were accepted, and that the socket was not given: those stored while the session was logged out.
   *
   * @return a copy
   */
  public UnsentMessages unsent() {
    lock.lock();
    try {
      UnsentMessages copy = new UnsentMessages();
      copy.set(unsent);
      return copy;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Tells whether application messages go to the socket.
   *
   * @return false while they are refused, or numbered and stored only
   */
  public boolean isOpen() {
    return gate == Gate.TO_SOCKET;
  }

  /**
   * Tells whether there seems to be room for an application message: another thread may take it.
   *
   * @param bodyBytes length of the fields after the header
   * @return false if {@link #send} would give {@link #NO_ROOM} now
   */
  public boolean seemsToHaveRoom(int bodyBytes) {
    return ring.seemsToHaveRoom(encoder.maxBytes(bodyBytes), reserve);
  }

  /**
   * Why the store refused the message of a thread last.
   *
   * @return null if it has not
   */
  public @Nullable IOException sendFailure() {
    return sendFailure;
  }

  /**
   * How many messages threads have put into the output.
   *
   * @return the number since the session was made; a hint
   */
  public long sent() {
    return (long) SENT.getOpaque(this);
  }

  /**
   * Sends an application message: gives it a number, stores it, and puts it into the output. While the session is
   * logged out it is not put there, and the counterparty asks for it. While older messages are sent again, it is held
   * back.
   *
   * @param msgType MsgType as a number
   * @param memory holds the fields after the header
   * @param from index of their first byte
   * @param to index after their last byte
   * @param nowNanos the time of the monotonic clock
   * @param epochNanos its SendingTime(52), in nanoseconds since the epoch
   * @return its MsgSeqNum(34); {@link #NO_ROOM}, {@link #SHUT} or {@link #STORE_REFUSES} if it was not accepted:
   *     nothing has changed then
   */
  public long send(int msgType, ByteBuffer memory, int from, int to, long nowNanos, long epochNanos) {
    lock.lock();
    try {
      Gate open = gate;
      if (open != Gate.TO_SOCKET && open != Gate.TO_STORE) {
        return open == Gate.CLOSED ? CLOSED : SHUT;
      }
      long result = store(msgType, memory, from, to, epochNanos, reserve);
      if (result > 0 && open == Gate.TO_SOCKET) {
        publish(result);
        SENT.setOpaque(this, sent + 1);
        touchLastSent(nowNanos);
      } else if (result > 0) {
        unsent.stored(result, isOutOfHours);
      } else if (result == STORE_REFUSES) {
        sendFailure = store.failure();
      }
      return result;
    } finally {
      lock.unlock();
    }
  }

  /** With the lock: numbers and stores a message, which {@link #publish} has the socket get. */
  private long store(int msgType, ByteBuffer memory, int from, int to, long epochNanos, int left) {
    int begin = ring.claim(encoder.maxBytes(to - from), left);
    if (begin == OutputRing.NO_ROOM) {
      return NO_ROOM;
    }
    long number = store.nextOutbound();
    ByteBuffer out = ring.memory();
    int bytes = encoder.begin(msgType, number, MessageEncoder.NOT_SENT_BEFORE, epochNanos, store.nextInbound() - 1)
        .encode(out, begin, memory, from, to);
    if (!store.appendOutbound(number, epochNanos, out, begin, begin + bytes)) {
      return STORE_REFUSES;
    }
    encodedBytes = bytes;
    return number;
  }

  /** With the lock: shows the message that was encoded into the ring to the owner. */
  private void publish(long number) {
    ring.publish(encodedBytes);
    counters.queued(encodedBytes);
    lastPublished = number;
    if (holds && firstHeld == 0) {
      firstHeld = number;
    }
  }

  private void touchLastSent(long nowNanos) {
    if (nowNanos - (long) LAST_SENT.getOpaque(this) > 0) {
      LAST_SENT.setOpaque(this, nowNanos);
    }
  }

  // The owner.

  /**
   * When a message was sent last. Any thread.
   *
   * @return nanoseconds of the monotonic clock; the time of the connection before the first
   */
  public long lastSentNanos() {
    return (long) LAST_SENT.getOpaque(this);
  }

  /** The most that a message with a body takes. */
  int maxBytes(int bodyBytes) {
    return encoder.maxBytes(bodyBytes);
  }

  void lastProcessed(long number) {
    lastProcessed = number;
  }

  /** A connection begins: what was sent on another one does not count as a sign of life. */
  void connected() {
    LAST_SENT.setOpaque(this, time.nowNanos());
  }

  /**
   * What threads send goes to the socket from now on.
   *
   * @return whether messages were stored since our Logon(A): they do not go there, and nothing shows that they exist
   */
  boolean open() {
    lock.lock();
    try {
      gate = Gate.TO_SOCKET;
      return store.nextOutbound() - 1 > lastPublished;
    } finally {
      lock.unlock();
    }
  }

  /** No message of a thread is taken until {@link #open}, or the next logon; what was taken goes to the socket. */
  void pause() {
    lock.lock();
    gate = Gate.SHUT;
    lock.unlock();
  }

  /** What threads send does not go to the socket any more. */
  void shut() {
    gate(whileLoggedOut());
  }

  /**
   * The window of the schedule opens or closes. While there is a connection, the gate stays as it is until the
   * Logout(5).
   */
  void hours(boolean isOpen, boolean isConnected) {
    lock.lock();
    try {
      isOutOfHours = !isOpen;
      if (gate != Gate.TO_SOCKET) {
        gate = isOutOfHours && isConnected ? Gate.CLOSED : whileLoggedOut();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives up messages that were sent while the window was closed, without a connection. Their numbers are used again,
   * since the counterparty has never seen them. False if the store does not take that.
   */
  boolean expire(UnsentMessages expired) {
    lock.lock();
    try {
      if (unsent.firstOutOfHours() == 0) {
        return true;
      }
      if (!guarded.done(store.setNextOutbound(unsent.firstOutOfHours(), time.epochNanos()))) {
        return false;
      }
      expired.set(unsent);
      expired.sentUpTo(unsent.firstOutOfHours() - 1);
      unsent.endBefore(unsent.firstOutOfHours());
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The last messages of the store were accepted by an earlier process, while the window was closed. */
  void unsentBefore(long first, long last) {
    lock.lock();
    try {
      unsent.stored(first, true);
      unsent.addRange(first, last);
    } finally {
      lock.unlock();
    }
  }

  /** Messages up to this number were sent again, or the counterparty was told that they are skipped. */
  void sentUpTo(long number) {
    if (unsent.isEmpty()) { // the owner alone takes them away, and none are added while they are sent again
      return;
    }
    lock.lock();
    try {
      unsent.sentUpTo(number);
    } finally {
      lock.unlock();
    }
  }

  /** The connection is broken: the socket will not take what is left in the ring, nor what is put there from now on. */
  public void connectionBroken() {
    lock.lock();
    try {
      ring.release();
      List<ByteBuffer> rest = new ArrayList<>();
      ring.addRest(rest, ring.restFrom());
      brokenFrom = rest.isEmpty() ? store.nextOutbound() : numberOfFirst(rest.getFirst());
    } finally {
      lock.unlock();
    }
  }

  private long numberOfFirst(ByteBuffer messages) {
    MessageView first = new MessageView();
    int from = messages.position();
    int to = from + bytesOfMessage(messages, from);
    return first.parse(messages, from, to, false) == MessageView.OK
        ? first.integer(Tag.MSG_SEQ_NUM, store.nextOutbound())
        : store.nextOutbound();
  }

  /** With the lock, when no message goes to the ring any more. */
  private void noteUnwritten() {
    if (brokenFrom != 0) {
      unsent.addRange(brokenFrom, store.nextOutbound() - 1);
      brokenFrom = 0;
    }
  }

  /** What the last reset has discarded, once. */
  UnsentMessages takeDiscarded() {
    UnsentMessages taken = new UnsentMessages();
    taken.set(discarded);
    discarded.clear();
    return taken;
  }

  /** The engine ends: nothing is taken any more, and the store is closed. */
  void close() {
    isClosed = true;
    shut();
    guarded.close();
  }

  /** Whether the next logon begins with number 1: no message is taken before it then. */
  void discardsNumbers(boolean value) {
    discardsNumbers = value;
    if (gate != Gate.TO_SOCKET) {
      shut();
    }
  }

  private void gate(Gate value) {
    lock.lock();
    gate = value;
    noteUnwritten();
    lock.unlock();
  }

  /** Begins the body of a message of the session layer. */
  FieldWriter beginAdmin() {
    return bodies.begin(settings.maxMessageBytes());
  }

  /** What was written since {@link #beginAdmin}, for those who add to it. */
  FieldWriter adminBody() {
    return bodies.current();
  }

  /**
   * Sends what was written since {@link #beginAdmin} under the next number. It is not kept: a gap fill takes its place
   * if it is asked for again. False if there is no room, or the store does not take the number.
   */
  boolean sendAdmin(int msgType) {
    return sendAdmin(msgType, ANY_NUMBER, gate) > 0;
  }

  /**
   * As {@link #sendAdmin}, for the last message of a connection: no message of another thread follows it. None is taken
   * either if the end of the connection brings numbers from 1 on: it would be lost with its number.
   */
  boolean sendLast(int msgType, boolean resetFollows) {
    Gate behind = isOutOfHours ? Gate.CLOSED : resetFollows ? Gate.SHUT : whileLoggedOut();
    return sendAdmin(msgType, ANY_NUMBER, behind) > 0;
  }

  /** As {@link #sendAdmin}, if the next number is this one; {@link #SHUT} if it is another. */
  long sendAdminAs(int msgType, long number) {
    return sendAdmin(msgType, number, gate);
  }

  private long sendAdmin(int msgType, long wanted, Gate gateBehind) {
    lock.lock();
    try {
      if (wanted != ANY_NUMBER && store.nextOutbound() != wanted) {
        return SHUT;
      }
      long number = numberAdmin(msgType);
      if (number > 0) {
        gate = gateBehind;
      }
      return number;
    } finally {
      lock.unlock();
    }
  }

  /** Begins with number 1 both ways, and sends what was written since {@link #beginAdmin} under it. */
  boolean resetAndSendAdmin(int msgType) {
    lock.lock();
    try {
      return resetWithin() && numberAdmin(msgType) > 0;
    } finally {
      lock.unlock();
    }
  }

  /** Begins with number 1 both ways; false if the store does not take that. */
  boolean reset() {
    lock.lock();
    try {
      return resetWithin();
    } finally {
      lock.unlock();
    }
  }

  /** With the lock, during a connection. What is held back goes first, under its old numbers. */
  private boolean resetWithin() {
    if (!resetStore()) {
      return false;
    }
    firstHeld = Math.min(firstHeld, 1);
    return true;
  }

  /**
   * As {@link #reset}, after {@link #shut}: no message of another thread comes between the two. The connection still
   * gets what there is for it.
   */
  boolean shutAndReset() {
    lock.lock();
    try {
      gate = whileLoggedOut();
      noteUnwritten();
      return resetStore();
    } finally {
      lock.unlock();
    }
  }

  /** With the lock. */
  private boolean resetStore() {
    if (!guarded.done(store.reset(time.epochNanos()))) {
      return false;
    }
    discarded.set(unsent);
    unsent.clear();
    return true;
  }

  /** With the lock. A message of the session does not wait for the end of a replay, unless an earlier number does. */
  private long numberAdmin(int msgType) {
    int most = encoder.maxBytes(bodies.current().position());
    if (holds && firstHeld == 0 && replay.hasRoom(most)) {
      long number = numberAdmin(msgType, replay.memory(), replay.tail());
      if (number > 0) {
        replay.append(encodedBytes);
        lastPublished = number;
      }
      return number;
    }
    int at = ring.claim(most, 0);
    if (at == OutputRing.NO_ROOM) {
      return NO_ROOM;
    }
    long number = numberAdmin(msgType, ring.memory(), at);
    if (number > 0) {
      publish(number);
    }
    return number;
  }

  private long numberAdmin(int msgType, ByteBuffer memory, int at) {
    FieldWriter body = bodies.current();
    long number = store.nextOutbound();
    encodedBytes = encoder.begin(msgType, number, MessageEncoder.NOT_SENT_BEFORE, time.epochNanos(), lastProcessed)
        .encode(memory, at, body.buffer(), 0, body.position());
    if (!guarded.done(store.setNextOutbound(number + 1, time.epochNanos()))) {
      return STORE_REFUSES;
    }
    touchLastSent(time.nowNanos());
    return number;
  }

  /**
   * Sends what was written since {@link #beginAdmin} under the next number, and keeps it. False if there is no room, or
   * the store does not take it.
   */
  boolean sendKept(int msgType) {
    FieldWriter body = bodies.current();
    lock.lock();
    try {
      long number = store(msgType, body.buffer(), 0, body.position(), time.epochNanos(), 0);
      guarded.done(number != STORE_REFUSES);
      if (number > 0) {
        publish(number);
      }
      touchLastSent(time.nowNanos());
      return number > 0;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Messages are going to be sent again: holds back those that threads send from now on, until {@link #release}.
   *
   * @return the last number that is not held back
   */
  long hold() {
    lock.lock();
    try {
      if (!holds) {
        holds = true;
        ring.hold();
      }
      long next = store.nextOutbound();
      return (firstHeld == 0 ? next : Math.min(firstHeld, next)) - 1;
    } finally {
      lock.unlock();
    }
  }

  /** All messages are sent again and written: what was held back follows them. */
  void release() {
    if (!holds || !replay.isEmpty()) { // the owner alone changes it
      return;
    }
    lock.lock();
    holds = false;
    firstHeld = 0;
    ring.release();
    lock.unlock();
  }

  /** The connection has ended: nothing is held back any more. */
  void disconnected() {
    lock.lock();
    holds = false;
    firstHeld = 0;
    ring.release();
    lock.unlock();
  }

  /**
   * Sends what was written since {@link #beginAdmin} under a number that was used before. False if there is no room.
   */
  boolean resendAdmin(long number, int msgType) {
    FieldWriter body = bodies.current();
    return resend(number, msgType, time.epochNanos(), body.buffer(), 0, body.position());
  }

  /** Sends a kept message again. False if there is no room. */
  boolean resend(long number, int msgType, long firstSentEpochNanos, ByteBuffer memory, int from, int to) {
    if (!replay.hasRoom(replayEncoder.maxBytes(to - from) + replayReserve)) {
      return false;
    }
    int bytes = replayEncoder.begin(msgType, number, firstSentEpochNanos, time.epochNanos(), lastProcessed)
        .encode(replay.memory(), replay.tail(), memory, from, to);
    replay.append(bytes);
    counters.queuedAgain(bytes);
    touchLastSent(time.nowNanos());
    return true;
  }

  /** What waits for the socket, and what it has taken. */
  OutputCounters counters() {
    return counters;
  }

  /** How many bytes the message has that begins at a place of a slice. */
  int bytesOfMessage(ByteBuffer slice, int at) {
    return replayEncoder.bytesOfMessage(slice, at);
  }

  /** Index of the first field that the sender of a kept message has written itself. */
  int ownFields(MessageView kept) {
    int at = 3;
    while (at < kept.endField() && isOurs(kept.tagAt(at))) {
      at++;
    }
    return at;
  }

  private boolean isOurs(int tag) {
    return switch (tag) {
      case Tag.SENDER_COMP_ID, Tag.TARGET_COMP_ID, Tag.MSG_SEQ_NUM, Tag.SENDING_TIME, Tag.POSS_DUP_FLAG,
          Tag.ORIG_SENDING_TIME, Tag.LAST_MSG_SEQ_NUM_PROCESSED ->
        true;
      case Tag.SENDER_SUB_ID -> !settings.id().senderSubId().isEmpty();
      case Tag.TARGET_SUB_ID -> !settings.id().targetSubId().isEmpty();
      case Tag.SENDER_LOCATION_ID -> !settings.id().senderLocationId().isEmpty();
      case Tag.TARGET_LOCATION_ID -> !settings.id().targetLocationId().isEmpty();
      default -> false;
    };
  }
}
