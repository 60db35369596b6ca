package dev.decant.fix.conformance;

import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.session.LoopMemory;
import dev.decant.fix.session.MessageFraming;
import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.SessionTime;
import dev.decant.fix.session.SessionUser;
import dev.decant.fix.session.Validation;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.net.Framing;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The session's state machine with the engine around it: framing, timers, and output. */
final class ProtocolUnderTest implements SessionUnderTest, SessionUser {
  /** 2026-03-14, 09:26:53 in UTC. */
  private static final long BEGIN_EPOCH_NANOS = 1_773_480_413_000_000_000L;
  private static final int RECEIVE_BYTES = 1 << 17;
  private static final int MANY_ROUNDS = 100_000;

  private final SessionProtocol protocol;
  private final RefusingStore store;
  private final boolean initiator;
  private final ByteBuffer sendMemory = ByteBuffer.allocateDirect(1 << 16);
  private final List<byte[]> delivered = new ArrayList<>();
  private final Set<String> unsupported = new HashSet<>();
  private final Set<Field> keptBack = new HashSet<>();
  private boolean storeRefuses;
  private String resetOutcome = "";
  private @Nullable String refusal;
  private @Nullable ProtocolLink current;
  private long monotonicNanos = Long.MAX_VALUE - Duration.ofHours(1).toNanos(); // it overflows in the longer scripts
  private long epochNanos = BEGIN_EPOCH_NANOS;

  /** A connection, which an engine would make of a socket. */
  private final class ProtocolLink implements Link {
    private final ByteBuffer received = ByteBuffer.allocateDirect(RECEIVE_BYTES);
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private boolean closed;
    private int scanned;

    @Override
    public void receive(byte[] bytes) {
      received.put(bytes);
      while (!closed && deliverNext()) {
        flush();
      }
    }

    private boolean deliverNext() {
      int end = received.position();
      if (end == 0) {
        return false;
      }
      long frameBytes = MessageFraming.INSTANCE.frameBytes(received, 0, scanned, end);
      if (frameBytes == Framing.UNKNOWN || frameBytes > end) {
        scanned = frameBytes == Framing.UNKNOWN ? end : 0;
        return false;
      }
      protocol.receive(received, 0, (int) frameBytes);
      received.flip().position((int) frameBytes);
      received.compact();
      scanned = 0;
      return true;
    }

    @Override
    public byte[] takeSent() {
      byte[] bytes = sent.toByteArray();
      sent.reset();
      return bytes;
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public void drop() {
      closed = true;
      protocol.disconnected("the counterparty dropped the connection");
    }

    private void write(ByteBuffer slice) {
      while (slice.hasRemaining()) {
        sent.write(slice.get());
      }
    }
  }

  ProtocolUnderTest(SessionSettings settings, boolean initiator) {
    this.initiator = initiator;
    store = new RefusingStore(new StoreInMemory(epochNanos), () -> storeRefuses);
    protocol = new SessionProtocol(new SessionProtocol.Parts(settings, store, MessageLog.none(), new SessionEvents(),
        new SessionTime(), new LoopMemory(() -> 1)), this, Validation.of(settings));
    setTime();
  }

  /** A session with these settings, by the names that {@link SessionSettings} has for them. */
  static SessionUnderTest open(Version version, boolean initiator, Map<String, String> settings,
      boolean validated) {
    Map<String, String> others = new HashMap<>(settings);
    String senderSubId = Objects.requireNonNullElse(others.remove("senderSubId"), "");
    String targetSubId = Objects.requireNonNullElse(others.remove("targetSubId"), "");
    String senderLocationId = Objects.requireNonNullElse(others.remove("senderLocationId"), "");
    String targetLocationId = Objects.requireNonNullElse(others.remove("targetLocationId"), "");
    SessionSettingsBuilder builder = SessionSettings.of(SessionId.of(version.beginString(), OURS, THEIRS)
        .withSender(senderSubId, senderLocationId).withTarget(targetSubId, targetLocationId));
    others.forEach((name, value) -> NamedSettings.set(builder, name, value));
    if (validated) {
      TestDictionaries.set(builder, version);
    }
    return new ProtocolUnderTest(builder.build(), initiator);
  }

  private void setTime() {
    protocol.time().set(monotonicNanos, epochNanos);
  }

  /** What an engine does after each call of the session: it writes what there is to the connection. */
  private void flush() {
    for (int round = 0; round < MANY_ROUNDS; round++) {
      boolean more = protocol.resendMore();
      ProtocolLink link = current;
      if (link != null && protocol.output().hasSlice()) {
        ByteBuffer slice = protocol.output().takeSlice();
        if (slice == null) {
          return;
        }
        link.write(slice);
        protocol.output().sliceWritten();
      } else if (!more) {
        return;
      }
    }
    throw new AssertionError("the session sends without end");
  }

  @Override
  public Link connect() {
    if (protocol.isConnected()) {
      throw new AssertionError("a second connection needs an engine");
    }
    ProtocolLink link = new ProtocolLink();
    current = link;
    protocol.connected(initiator);
    flush();
    return link;
  }

  @Override
  public void advance(Duration duration) {
    long end = monotonicNanos + duration.toNanos();
    for (int round = 0; round < MANY_ROUNDS; round++) {
      long deadline = protocol.nextDeadlineNanos();
      boolean isLast = deadline == Long.MAX_VALUE || deadline - end > 0;
      long next = isLast ? end : deadline;
      long passes = Math.max(0, next - monotonicNanos);
      monotonicNanos += passes;
      epochNanos += passes;
      setTime();
      protocol.onTime();
      flush();
      if (isLast) {
        return;
      }
    }
    throw new AssertionError("the session's deadline does not move on");
  }

  @Override
  public long epochNanos() {
    return epochNanos;
  }

  @Override
  public boolean send(String msgType, byte[] body) {
    if (!protocol.isLoggedOn() && !protocol.settings().sendWhileLoggedOut()) {
      return false; // as the engine does, where it takes a message from the application
    }
    sendMemory.put(0, body);
    long number = protocol.out().send(MsgType.key(msgType), sendMemory, 0, body.length, monotonicNanos, epochNanos);
    flush();
    return number > 0;
  }

  @Override
  public List<byte[]> takeDelivered() {
    List<byte[]> taken = List.copyOf(delivered);
    delivered.clear();
    return taken;
  }

  @Override
  public void logout(String text) {
    protocol.logout(text);
    flush();
  }

  @Override
  public void resetNumbers() {
    if (protocol.isConnected()) {
      protocol.resets().logoutAndReset();
    } else {
      protocol.resets().resetNow(true);
    }
    flush();
  }

  @Override
  public void resetWithoutLogout() {
    resetOutcome = "";
    protocol.resets().resetWithoutLogout(failure -> resetOutcome = failure == null ? "done" : failure);
    flush();
  }

  @Override
  public String resetOutcome() {
    return resetOutcome;
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
  public void setNumbers(long outbound, long inbound) {
    store.operator(true);
    protocol.operator().setNextOutbound(outbound);
    protocol.operator().setNextInbound(inbound);
    store.operator(false);
  }

  @Override
  public void doNotSupport(String msgType) {
    unsupported.add(msgType);
  }

  @Override
  public void refuseLogons(String reason) {
    refusal = reason.isEmpty() ? null : reason;
  }

  @Override
  public void keepBack(int tag, String value) {
    keptBack.add(new Field(tag, value, false));
  }

  @Override
  public void storeRefuses(boolean value) {
    storeRefuses = value;
    flush();
  }

  // The user of the session.

  @Override
  public @Nullable String refuseLogon(MessageView logon) {
    return refusal;
  }

  @Override
  public void completeLogon(FieldWriter logon) {}

  @Override
  public void onLogon() {}

  @Override
  public void onMessage(MessageView message) {
    if (unsupported.contains(MsgType.text(message.msgTypeKey()))) {
      protocol.rejectBusinessFor(message, RejectReason.BUSINESS_UNSUPPORTED_MESSAGE_TYPE, null);
      return;
    }
    byte[] bytes = new byte[message.messageTo() - message.messageFrom()];
    message.buffer().get(message.messageFrom(), bytes);
    delivered.add(bytes);
  }

  @Override
  public boolean mayResend(MessageView message) {
    for (Field field : keptBack) {
      if (message.contentEquals(field.tag(), field.value())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void closeConnection(String reason) {
    ProtocolLink link = current;
    if (link != null) {
      protocol.output().take(protocol.output().rest()).forEach(link::write);
      protocol.output().clear();
      link.closed = true;
    }
  }
}
