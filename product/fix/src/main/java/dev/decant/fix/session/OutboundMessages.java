package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
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
 * Numbers, stores and queues messages of all threads. The three form one step under the session's lock. So no number is
 * used twice or left out, and the output has the order of the numbers. A message that has a number is in the store.
 *
 * <pre>
 *   senders, and the owner           the owner
 *   number, encode, store, publish -> ring   -> socket
 *                    encode again -> replay -> socket
 * </pre>
 *
 * <p>The step once was two: {@code send} queued messages without numbers, and the loop stored them later. A killed
 * process then lost accepted orders, and the counterparty saw no gap (decision 28).
 *
 * <p>Public methods: any thread. All others: owner of the session only.
 */
public final class OutboundMessages {
  /** {@link #send} returns this instead of a number if the output is full. */
  public static final long NO_ROOM = -1;
  /** {@link #send} returns this instead of a number if the session accepts no messages now. */
  public static final long SHUT = -2;
  /** {@link #send} returns this instead of a number if the store refuses the message, see {@link #sendFailure}. */
  public static final long STORE_REFUSES = -3;
  /** {@link #send} returns this instead of a number while the schedule keeps the session closed. */
  public static final long CLOSED = -4;

  /** The treatment of messages that threads send. */
  enum Gate {
    /** They are refused. */
    SHUT,
    /** They are refused until the window of the schedule opens. */
    CLOSED,
    /** They are numbered and stored. The counterparty requests them after the next logon. */
    TO_STORE,
    /** They are numbered and stored, and go to the socket. */
    TO_SOCKET
  }

  /** Session messages alone may use one eighth of ring and replay, at most {@link #MAX_RESERVE_BYTES}. */
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
  /** True while older messages are resent: newer ones wait in the ring. */
  private boolean holds;
  /** Length of the message that was encoded last. */
  private int encodedBytes;
  /** Number of the first message that is held back; 0 if none is. */
  private long firstHeld;
  /** Messages that were accepted, and that no socket has received. */
  private final UnsentMessages unsent = new UnsentMessages();
  /** Unsent messages that the last reset discarded. */
  private final UnsentMessages discarded = new UnsentMessages();
  /** Messages that a broken connection had and has not sent, until that connection is ended. */
  private final UnsentMessages lost = new UnsentMessages();
  /** The first number after the connection broke, until that connection is ended; 0 otherwise. */
  private long brokenFrom;
  /** Number of the last new message that went into ring or replay. */
  private long lastPublished;
  /** How often the numbers were reset. */
  private long resets;
  /** The value of {@link #resets} when the last new message went into ring or replay. */
  private long resetsOfOutput;
  /** How many messages threads have put into the ring. The owner reads it without the lock, through SENT. */
  private long sent;

  /** Set under the lock, read by any thread. */
  private volatile Gate gate;
  /** Why the store refused the last message of a thread that it refused. Set under the lock, read by any thread. */
  private volatile @Nullable IOException sendFailure;
  /**
   * When the last message was sent, in nanoseconds of the monotonic clock. Set under the lock or by the owner, read by
   * any thread, through LAST_SENT.
   */
  @SuppressWarnings("UnusedVariable")
  private long lastSentNanos;

  // Owner only.
  private final GuardedStore guarded;
  private final OutputBuffer replay;
  private final MessageEncoder replayEncoder;
  private final AdminBodies bodies;
  /** LastMsgSeqNumProcessed(369) of the next session message. */
  private long lastProcessed;
  /** Unsent messages that this connection has resent, and that may not be at the socket yet. */
  private final UnsentMessages resent = new UnsentMessages();
  /** The last of these in the slice at the socket. */
  private long resentAtSocket;
  /** How many connections there were. */
  private long connections;
  /** True after the store was closed. */
  private boolean isClosed;
  /** True while the window of the schedule is closed. */
  private boolean isOutOfHours;
  /** True if the next logon resets the numbers: a message that got a number before it would be lost. */
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
    return new SessionOutput(this, lock, ring, replay, guarded, departure);
  }

  private Gate whileLoggedOut() {
    if (isOutOfHours && !isClosed) {
      return settings.whileClosed() == WhileClosed.REFUSE ? Gate.CLOSED : discardsNumbers ? Gate.SHUT : Gate.TO_STORE;
    }
    return settings.sendWhileLoggedOut() && !isClosed && !discardsNumbers ? Gate.TO_STORE : Gate.SHUT;
  }

  // Any thread.

  /**
   * Returns true if application messages are accepted: {@link #send} would not return {@link #SHUT} or {@link #CLOSED}.
   */
  public boolean isTaken() {
    Gate now = gate;
    return now == Gate.TO_SOCKET || now == Gate.TO_STORE;
  }

  /**
   * Returns true if messages are refused because the window of the schedule is closed: {@link #send} returns
   * {@link #CLOSED}.
   */
  public boolean isOutOfHours() {
    return gate == Gate.CLOSED;
  }

  /**
   * Returns a copy of the range of messages that were accepted, and that no socket has received. Threads stored them
   * while the session was logged out, or a broken connection did not send them.
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
   * Returns true if application messages go to the socket; false while they are refused, or only numbered and stored.
   */
  public boolean isOpen() {
    return gate == Gate.TO_SOCKET;
  }

  /**
   * Returns false if {@link #send} would return {@link #NO_ROOM} now. True is a hint: another thread may take the room.
   *
   * @param bodyBytes length of the fields after the header
   */
  public boolean seemsToHaveRoom(int bodyBytes) {
    return ring.seemsToHaveRoom(encoder.maxBytes(bodyBytes), reserve);
  }

  /** Returns why the store refused a message of a thread last; null if it has refused none. */
  public @Nullable IOException sendFailure() {
    return sendFailure;
  }

  /** Returns how many messages threads have put into the output since the session was made. A hint for the owner. */
  public long sent() {
    return (long) SENT.getOpaque(this);
  }

  /**
   * Numbers, stores and queues an application message. While the session is logged out, the message is not queued: the
   * counterparty requests it after the logon. During a replay, the message waits in the output until the replay is
   * over.
   *
   * @param msgType MsgType as a number
   * @param memory holds the fields after the header
   * @param from index of their first byte
   * @param to index after their last byte
   * @param nowNanos the time of the monotonic clock
   * @param epochNanos SendingTime(52), in nanoseconds since the epoch
   * @return the MsgSeqNum(34), or the reason for a refusal: {@link #NO_ROOM}, {@link #SHUT}, {@link #CLOSED} or
   *     {@link #STORE_REFUSES}. After a refusal nothing has changed
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

  /** Numbers and stores a message, for {@link #publish}. Requires the lock. */
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

  /** Shows the message that was encoded into the ring to the owner. Requires the lock. */
  private void publish(long number) {
    ring.publish(encodedBytes);
    counters.queued(encodedBytes);
    published(number);
    if (holds && firstHeld == 0) {
      firstHeld = number;
    }
  }

  private void published(long number) {
    lastPublished = number;
    resetsOfOutput = resets;
  }

  private void touchLastSent(long nowNanos) {
    if (nowNanos - (long) LAST_SENT.getOpaque(this) > 0) {
      LAST_SENT.setOpaque(this, nowNanos);
    }
  }

  // Owner of the session only.

  /**
   * Returns when the last message was sent, in nanoseconds of the monotonic clock. Before the first one, that is the
   * begin of the connection. Any thread.
   */
  public long lastSentNanos() {
    return (long) LAST_SENT.getOpaque(this);
  }

  /** Returns the longest message that can result from a body of this length. */
  int maxBytes(int bodyBytes) {
    return encoder.maxBytes(bodyBytes);
  }

  void lastProcessed(long number) {
    lastProcessed = number;
  }

  /** Begins a connection: messages that another connection has sent are no sign of life on this one. */
  void connected() {
    connections++;
    resent.clear();
    LAST_SENT.setOpaque(this, time.nowNanos());
  }

  /**
   * Sends messages of threads to the socket from now on. Returns true if threads have stored messages since our
   * Logon(A). These do not go to the socket, and the counterparty cannot know of them.
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

  /**
   * Refuses messages of threads until {@link #open} or the next logon. Messages accepted before still go to the socket.
   */
  void pause() {
    lock.lock();
    gate = Gate.SHUT;
    lock.unlock();
  }

  /** Sends no further messages of threads to the socket. */
  void shut() {
    gate(whileLoggedOut());
  }

  /**
   * Notes that the window of the schedule opens or closes. While a logged-on session has its connection, the gate stays
   * as it is until the Logout(5).
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
   * Discards messages that threads sent while the window was closed. Their numbers are used again, since the
   * counterparty has never seen them. Requires that there is no connection. Returns false if the store refuses the
   * change.
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

  /** Notes messages at the end of the store that an earlier process accepted while the window was closed. */
  void unsentBefore(long first, long last) {
    lock.lock();
    try {
      unsent.stored(first, true);
      unsent.addRange(first, last);
    } finally {
      lock.unlock();
    }
  }

  /** Notes that messages up to this number were resent, or replaced by a gap fill. */
  void sentUpTo(long number) {
    if (unsent.isEmpty()) { // Without the lock: only the owner removes messages, and none are added during a replay.
      return;
    }
    lock.lock();
    try {
      resent.addRange(unsent.first(), Math.min(number, unsent.last()));
      unsent.sentUpTo(number);
    } finally {
      lock.unlock();
    }
  }

  /** Notes that the slice at the socket has all resent messages. */
  void replayTaken() {
    resentAtSocket = resent.last();
  }

  /** Notes that the socket has taken the resent messages of the slice. */
  void replayWritten() {
    resent.sentUpTo(resentAtSocket);
  }

  /** Returns the messages that are not written, in the order of the output. */
  OutputRest rest() {
    List<ByteBuffer> slices = new ArrayList<>();
    int atSocket = ring.addSlice(slices) || replay.addSlice(slices) ? 1 : 0;
    long held = ring.addRest(slices, ring.restFrom());
    ByteBuffer again = replay.rest();
    if (again.hasRemaining()) {
      slices.add(again);
    }
    ring.release();
    ring.addRest(slices, held);
    return new OutputRest(this, slices, atSocket, resent);
  }

  /**
   * Notes that the connection is broken. Neither the rest of the output nor anything appended later will reach the
   * socket.
   *
   * @param bytesLeft how many bytes of the slice at the socket are not written
   */
  public void connectionBroken(long bytesLeft) {
    lock.lock();
    try {
      lost.set(rest().unsent(bytesLeft));
      brokenFrom = store.nextOutbound();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes that an ended connection has not written all that it was left. Returns true if a reset has discarded the
   * messages. Otherwise, the next logon shows the gap, and the counterparty requests them.
   */
  boolean restLost(OutputRest rest, UnsentMessages ofRest) {
    lock.lock();
    try {
      if (rest.resets() != resets) {
        return true;
      }
      if (rest.connections() == connections) {
        unsent.addRange(ofRest.first(), ofRest.last());
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how often the numbers were reset before the last new message went into the output. */
  long resetsOfOutput() {
    return resetsOfOutput;
  }

  long connections() {
    return connections;
  }

  /**
   * Sets the number of the next message to be sent, for an operator. Returns false if the store refuses that. The
   * messages that wait for a logon, and whose numbers are used again, are in {@link #takeDiscarded}.
   */
  boolean setNextOutbound(long number) {
    lock.lock();
    try {
      if (!guarded.done(store.setNextOutbound(number, time.epochNanos()))) {
        return false;
      }
      if (!unsent.isEmpty() && number <= unsent.last()) {
        discarded.addRange(Math.max(number, unsent.first()), unsent.last());
        unsent.endBefore(number);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves the messages that a broken connection did not send into {@link #unsent}. Requires the lock and a gate that is
   * shut.
   */
  private void noteUnwritten() {
    if (brokenFrom != 0) {
      if (!lost.isEmpty()) {
        unsent.addRange(lost.first(), lost.last());
      }
      unsent.addRange(brokenFrom, store.nextOutbound() - 1);
      brokenFrom = 0;
    }
  }

  /** Returns the messages that the last reset discarded, and forgets them. */
  UnsentMessages takeDiscarded() {
    UnsentMessages taken = new UnsentMessages();
    taken.set(discarded);
    discarded.clear();
    return taken;
  }

  /** Closes the store when the engine closes. No message is accepted after that. */
  void close() {
    isClosed = true;
    shut();
    guarded.close();
  }

  /**
   * Sets whether the next logon resets the numbers. Until that logon, no message is accepted, since it would be lost.
   */
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

  /** Begins the body of a session message. */
  FieldWriter beginAdmin() {
    return bodies.begin(settings.maxMessageBytes());
  }

  /** Returns the body that {@link #beginAdmin} began, for callers that add fields. */
  FieldWriter adminBody() {
    return bodies.current();
  }

  /**
   * Sends the body that {@link #beginAdmin} began, under the next number. The message is not stored; a gap fill
   * replaces it in a replay. Returns false if there is no room, or if the store refuses the number.
   */
  boolean sendAdmin(int msgType) {
    return sendAdmin(msgType, ANY_NUMBER, gate) > 0;
  }

  /**
   * Sends the last message of a connection, as {@link #sendAdmin} does. No message of a thread follows it on the
   * connection. If the end of the connection resets the numbers, none is stored either: {@code send} once returned OK
   * for messages that the reset discarded.
   */
  boolean sendLast(int msgType, boolean resetFollows) {
    Gate behind = isOutOfHours ? Gate.CLOSED : resetFollows ? Gate.SHUT : whileLoggedOut();
    return sendAdmin(msgType, ANY_NUMBER, behind) > 0;
  }

  /** Sends as {@link #sendAdmin} if the next number is {@code number}. Returns {@link #SHUT} if it is another one. */
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

  /** Resets both numbers to 1 and sends the body that {@link #beginAdmin} began as number 1, in one step. */
  boolean resetAndSendAdmin(int msgType) {
    lock.lock();
    try {
      return resetWithin() && numberAdmin(msgType) > 0;
    } finally {
      lock.unlock();
    }
  }

  /** Resets both numbers to 1. Returns false if the store refuses that. */
  boolean reset() {
    lock.lock();
    try {
      return resetWithin();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Resets the store during a connection. Requires the lock. Messages that are held back go first, under their old
   * numbers.
   */
  private boolean resetWithin() {
    if (!resetStore()) {
      return false;
    }
    firstHeld = Math.min(firstHeld, 1);
    return true;
  }

  /**
   * Shuts the gate and resets both numbers, in one step, so that no message of a thread comes between. The connection
   * still receives all that was queued for it.
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

  /** Requires the lock. */
  private boolean resetStore() {
    if (!guarded.done(store.reset(time.epochNanos()))) {
      return false;
    }
    discarded.set(unsent);
    unsent.clear();
    resets++;
    return true;
  }

  /**
   * Numbers and queues a session message. Requires the lock. During a replay it goes before the messages that are held
   * back, but not if one of these has an earlier number.
   */
  private long numberAdmin(int msgType) {
    int most = encoder.maxBytes(bodies.current().position());
    if (holds && firstHeld == 0 && replay.hasRoom(most)) {
      long number = numberAdmin(msgType, replay.memory(), replay.tail());
      if (number > 0) {
        replay.append(encodedBytes);
        published(number);
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
   * Numbers, stores and queues the body that {@link #beginAdmin} began. Returns false if there is no room, or if the
   * store refuses it.
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
   * Begins a replay: messages that threads send from now on are held back until {@link #release}. Returns the last
   * number that is not held back.
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

  /** Releases the messages that were held back, if all resent messages are written. */
  void release() {
    if (!holds || !replay.isEmpty()) { // Without the lock: only the owner changes holds.
      return;
    }
    lock.lock();
    holds = false;
    firstHeld = 0;
    ring.release();
    lock.unlock();
  }

  /** Ends the replay with its connection: no message is held back any longer. */
  void disconnected() {
    lock.lock();
    holds = false;
    firstHeld = 0;
    ring.release();
    lock.unlock();
  }

  /**
   * Sends the body that {@link #beginAdmin} began under a number that was used before. Returns false if there is no
   * room.
   */
  boolean resendAdmin(long number, int msgType) {
    FieldWriter body = bodies.current();
    return resend(number, msgType, time.epochNanos(), body.buffer(), 0, body.position());
  }

  /** Returns true if there is room to resend a message with a body of this length. */
  boolean hasRoomToResend(int bodyBytes) {
    return replay.hasRoom(replayEncoder.maxBytes(bodyBytes) + replayReserve);
  }

  /** Resends a stored message. Returns false if there is no room. */
  boolean resend(long number, int msgType, long firstSentEpochNanos, ByteBuffer memory, int from, int to) {
    if (!hasRoomToResend(to - from)) {
      return false;
    }
    int bytes = replayEncoder.begin(msgType, number, firstSentEpochNanos, time.epochNanos(), lastProcessed)
        .encode(replay.memory(), replay.tail(), memory, from, to);
    replay.append(bytes);
    counters.queuedAgain(bytes);
    touchLastSent(time.nowNanos());
    return true;
  }

  /** Returns the counters of messages and bytes that wait for the socket, or that it has taken. */
  OutputCounters counters() {
    return counters;
  }

  /** Returns the length of the message that begins at this index of a slice. */
  int bytesOfMessage(ByteBuffer slice, int at) {
    return replayEncoder.bytesOfMessage(slice, at);
  }
}
