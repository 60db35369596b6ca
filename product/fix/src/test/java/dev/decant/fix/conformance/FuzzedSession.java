package dev.decant.fix.conformance;

import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.session.LoopMemory;
import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.SessionTime;
import dev.decant.fix.session.SessionUser;
import dev.decant.fix.session.Validation;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.settings.TimestampPrecision;
import dev.decant.fix.store.MemoryStores;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A session with the engine around it, driven by a seed. */
final class FuzzedSession implements SessionUser, AutoCloseable {
  private static final int STEPS = 400;
  private static final int MAX_MESSAGE_BYTES = 4_096;
  private static final int STORE_BYTES = 32_768;
  private static final int MANY_ROUNDS = 1_000;

  private final Random random;
  private final Version version;
  private final RefusingStore store;
  private final SessionProtocol protocol;
  private final FuzzedMessages messages;
  private final ByteBuffer memory = ByteBuffer.allocateDirect(4 * MAX_MESSAGE_BYTES);
  private final int refusals;
  private long nowNanos = Long.MAX_VALUE - Duration.ofMinutes(5).toNanos();
  private long epochNanos = 1_773_480_413_000_000_000L;
  /** What the socket has not written yet, as it was when it was taken. */
  private byte @Nullable [] atSocket;
  private @Nullable ByteBuffer slice;
  /** The store takes all, so that what is left at the end of a connection can be compared. */
  private boolean ending;
  private boolean closed = true;
  private long logons;
  private long sentAgain;
  private long resetsBegun;
  private long resetsEnded;

  FuzzedSession(long seed) {
    random = new Random(seed);
    version = oneOf(List.of(Version.values()));
    refusals = random.nextInt(3) == 0 ? 50 + random.nextInt(200) : 0;
    SessionSettings settings = settings();
    store = new RefusingStore(new MemoryStores(STORE_BYTES).open(settings.id(), epochNanos), this::isRefused);
    protocol = new SessionProtocol(new SessionProtocol.Parts(settings, store, MessageLog.none(), new SessionEvents(),
        new SessionTime(), new LoopMemory(() -> 1)), this, Validation.of(settings));
    messages = new FuzzedMessages(random, version.beginString(), store);
    protocol.time().set(nowNanos, epochNanos);
  }

  private boolean isRefused() {
    return !ending && refusals != 0 && random.nextInt(refusals) == 0;
  }

  private SessionSettings settings() {
    SessionSettingsBuilder settings = SessionSettings
        .of(new SessionId(version.beginString(), SessionUnderTest.OURS, "", SessionUnderTest.THEIRS, "", ""))
        .maxMessageBytes(MAX_MESSAGE_BYTES).outputBytes(8_192 << random.nextInt(3))
        .gapQueueBytes(random.nextInt(4_000)).resendRequestChunk(random.nextInt(6)).resendLimit(random.nextInt(20))
        .resetOnLogon(random.nextInt(5) == 0).resetOnLogout(random.nextInt(5) == 0)
        .resetOnDisconnect(random.nextInt(5) == 0).checkCompIds(random.nextBoolean())
        .validateCheckSum(random.nextInt(3) != 0).rejectGarbled(random.nextBoolean())
        .rejectInvalid(random.nextInt(3) != 0).requireOrigSendingTime(random.nextBoolean())
        .closedResendRange(random.nextBoolean()).redundantResendRequests(random.nextBoolean())
        .nextExpectedMsgSeqNum(version != Version.FIX42 && random.nextBoolean())
        .lastMsgSeqNumProcessed(random.nextBoolean())
        .sendWhileLoggedOut(random.nextInt(3) == 0)
        .timestampPrecision(oneOf(List.of(TimestampPrecision.values())));
    if (random.nextBoolean()) {
      TestDictionaries.set(settings, version);
    }
    return settings.build();
  }

  private <T> T oneOf(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  long logons() {
    return logons;
  }

  long sentAgain() {
    return sentAgain;
  }

  @Override
  public void close() {
    store.close();
  }

  void play() {
    for (int step = 0; step < STEPS; step++) {
      if (!protocol.isConnected()) {
        outside();
      } else {
        inside();
      }
      pump();
      requireSanity();
    }
  }

  private void outside() {
    if (random.nextInt(20) == 0) {
      store.operator(true);
      boolean done = protocol.operator().setNextOutbound(1 + random.nextInt(50))
          && protocol.operator().setNextInbound(1 + random.nextInt(50));
      store.operator(false);
      require(done || refusals != 0, "an operator's numbers are refused");
    }
    if (random.nextInt(20) == 0) {
      protocol.resets().resetNow(random.nextBoolean());
    }
    send();
    atSocket = null;
    slice = null;
    closed = false;
    protocol.connected(random.nextInt(3) == 0);
  }

  private void inside() {
    switch (random.nextInt(24)) {
      case 0 -> time();
      case 8 -> resetWithoutLogout();
      case 1, 2, 3, 4, 5, 6 -> send();
      case 7 -> {
        if (random.nextInt(6) == 0) {
          end();
        }
      }
      default -> receive(messages.next(epochNanos, protocol.isLoggedOn()));
    }
  }

  private void resetWithoutLogout() {
    if (random.nextInt(6) == 0) {
      protocol.resets().resetWithoutLogout(failure -> resetsEnded++);
      resetsBegun++;
    }
  }

  private void end() {
    switch (random.nextInt(4)) {
      case 0 -> protocol.logout(random.nextBoolean() ? "" : "enough");
      case 1 -> protocol.resets().logoutAndReset();
      case 2 -> protocol.abandon("too much");
      default -> protocol.disconnected("the cable");
    }
  }

  private void receive(byte[] message) {
    int from = random.nextInt(64);
    memory.put(from, message);
    protocol.receive(memory, from, from + message.length);
  }

  private void send() {
    boolean isOn = protocol.isLoggedOn();
    if (!isOn && !protocol.settings().sendWhileLoggedOut()) {
      return;
    }
    byte[] body = Message.bytes("11=B|58=" + "x".repeat(1 + random.nextInt(random.nextInt(8) == 0 ? 3_000 : 60)) + "|");
    long before = store.nextOutbound();
    memory.put(0, body);
    boolean taken = protocol.out().send(MsgType.key("D"), memory, 0, body.length, nowNanos, epochNanos) > 0;
    require(store.nextOutbound() == before + (taken ? 1 : 0), "a message that is refused has changed the numbers");
    if (taken && !isOn) {
      store.taken().removeLast(); // waits until it is asked for
    }
  }

  private void time() {
    long deadline = protocol.nextDeadlineNanos();
    long passes = random.nextInt(3) == 0 || deadline == Long.MAX_VALUE
        ? random.nextInt(2_000) * 1_000_000L
        : Math.max(0, deadline - nowNanos);
    nowNanos += passes;
    epochNanos += passes;
    protocol.time().set(nowNanos, epochNanos);
    for (int round = 0; round < MANY_ROUNDS; round++) {
      protocol.onTime();
      long next = protocol.nextDeadlineNanos();
      if (next == Long.MAX_VALUE || next - nowNanos > 0) {
        return;
      }
    }
    throw new AssertionError("the session's deadline does not move on");
  }

  /** What an engine does after each call: it lets messages be sent again, and writes, more or less quickly. */
  private void pump() {
    for (int round = 0; round < MANY_ROUNDS && !closed; round++) {
      boolean more = protocol.resendMore();
      if (random.nextInt(4) == 0) {
        return; // a counterparty that reads slowly
      }
      written();
      ByteBuffer taken = !closed && protocol.output().hasSlice() ? protocol.output().takeSlice() : null;
      if (taken != null) {
        slice = taken;
        atSocket = copy(taken);
      } else if (!more) {
        return;
      }
    }
    require(closed, "the session sends without end");
  }

  /** The slice at the socket is written; nobody has touched it meanwhile. */
  private void written() {
    ByteBuffer bytes = slice;
    byte[] asTaken = atSocket;
    if (bytes != null && asTaken != null) {
      require(Arrays.equals(copy(bytes), asTaken), "the bytes at the socket have changed");
      slice = null;
      atSocket = null;
      protocol.output().sliceWritten();
      check(asTaken);
    }
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return copy;
  }

  private void check(byte[] sent) {
    Deque<Long> taken = store.taken();
    for (Message message : Message.split(sent)) {
      require(SessionUnderTest.OURS.equals(message.value(49, 0)), "49 in " + message);
      if ("Y".equals(message.value(43, 0))) {
        require(message.value(122, 0) != null, "no 122 in " + message);
        sentAgain++;
      } else {
        Long number = taken.poll();
        require(String.valueOf(number).equals(message.value(34, 0)), "the store took " + number + ": " + message);
      }
    }
  }

  private void requireSanity() {
    require(store.nextOutbound() >= 1 && store.nextInbound() >= 1, "a number is below 1");
    require(closed == !protocol.isConnected(), "the connection is " + (closed ? "closed" : "open"));
    require(!protocol.isLoggedOn() || protocol.isConnected(), "logged on without a connection");
    require(protocol.isConnected() || !protocol.resets().isUnderWay(), "a reset is under way without a connection");
    require(protocol.resets().isUnderWay() || resetsBegun == resetsEnded,
        resetsEnded + " of " + resetsBegun + " resets have an outcome");
  }

  private static void require(boolean condition, String problem) {
    if (!condition) {
      throw new AssertionError(problem);
    }
  }

  @Override
  public @Nullable String refuseLogon(MessageView logon) {
    return random.nextInt(12) == 0 ? "not today" : null;
  }

  @Override
  public void completeLogon(FieldWriter logon) {}

  @Override
  public void onLogon() {
    logons++;
  }

  @Override
  public void onMessage(MessageView message) {
    switch (random.nextInt(30)) {
      case 0 -> throw new FieldException(11, RejectReason.REQUIRED_TAG_MISSING, "field 11 is missing");
      case 1 -> throw new FieldException(38, RejectReason.INCORRECT_DATA_FORMAT, "field 38 is no number");
      case 2 -> protocol.rejectFor(message, RejectReason.VALUE_IS_INCORRECT, 54, null);
      case 3 -> protocol.rejectBusinessFor(message, RejectReason.BUSINESS_UNSUPPORTED_MESSAGE_TYPE, null);
      default -> {
      }
    }
  }

  @Override
  public boolean mayResend(MessageView message) {
    return random.nextInt(5) != 0;
  }

  @Override
  public void closeConnection(String reason) {
    require(!closed, "the connection is closed twice");
    byte[] asTaken = atSocket;
    if (asTaken != null) {
      check(asTaken);
    }
    ending = true;
    protocol.output().take(protocol.output().rest()).forEach(rest -> check(copy(rest)));
    ending = false;
    require(store.taken().isEmpty(), "numbers without a message: " + store.taken());
    if (asTaken == null) {
      protocol.output().clear();
    } else {
      protocol.output().renew();
    }
    slice = null;
    atSocket = null;
    closed = true;
  }
}
