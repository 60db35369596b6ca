package dev.decant.fix.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.fix.dictionary.ValidationSettings;
import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.message.CheckSum;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.Leniency;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.session.LoopMemory;
import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.SessionTime;
import dev.decant.fix.session.SessionUser;
import dev.decant.fix.session.Validation;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.store.MemoryStores;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A session that is logged on allocates nothing, with a dictionary and a store. */
@Tag("allocation")
@Timeout(60)
class SessionAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int ROUNDS = 500;
  private static final int WARM_UP_RUNS = 80;
  private static final int MEASURED_RUNS = 40;
  private static final long EPOCH_NANOS = 1_773_480_413_000_000_000L;
  private static final int FIRST_NUMBER = 100_000_002;
  private static final int NUMBER_DIGITS = 9;
  private static final int TRAILER_BYTES = 7;

  private static final class Session implements SessionUser {
    final SessionProtocol protocol;
    long nowNanos = 1;
    int delivered;

    Session(Version version) {
      this(version, rules -> rules);
    }

    Session(Version version, UnaryOperator<SessionSettingsBuilder> rules) {
      SessionSettingsBuilder builder = SessionSettings
          .of(new SessionId(version.beginString(), SessionUnderTest.OURS, "", SessionUnderTest.THEIRS, "", ""));
      TestDictionaries.set(builder, version);
      SessionSettings settings = rules.apply(builder).build();
      protocol = new SessionProtocol(new SessionProtocol.Parts(settings,
          new MemoryStores(1 << 16).open(settings.id(), EPOCH_NANOS), MessageLog.none(), new SessionEvents(),
          new SessionTime(), new LoopMemory(() -> 1)), this, Validation.of(settings));
      time(0);
      protocol.operator().setNextInbound(FIRST_NUMBER - 1);
      protocol.connected(false);
      new Frame(version, "35=A|34=" + (FIRST_NUMBER - 1) + "|49=BUYER|52=20260314-09:26:53.000|56=SELLER|98=0|108=30|"
          + (version == Version.FIXT11 ? "1137=7|" : "")).receive(this, FIRST_NUMBER - 1);
      if (!protocol.isLoggedOn()) {
        throw new AssertionError("the session is not logged on");
      }
    }

    void time(long passesNanos) {
      nowNanos += passesNanos;
      protocol.time().set(nowNanos, EPOCH_NANOS);
    }

    void drain() {
      if (protocol.output().hasSlice()) {
        protocol.output().takeSlice();
        protocol.output().sliceWritten();
      }
    }

    @Override
    public @Nullable String refuseLogon(MessageView logon) {
      return null;
    }

    @Override
    public void completeLogon(FieldWriter logon) {}

    @Override
    public void onLogon() {}

    @Override
    public void onMessage(MessageView message) {
      delivered++;
    }

    @Override
    public boolean mayResend(MessageView message) {
      return true;
    }

    @Override
    public void closeConnection(String reason) {
      throw new AssertionError(reason);
    }
  }

  /** A message whose number of nine digits is written in place. */
  private static final class Frame {
    private final ByteBuffer memory;
    private final int numberAt;

    Frame(Version version, String body) {
      String text = "8=" + version.beginString() + "|9=" + body.length() + '|' + body + "10=000|";
      byte[] bytes = Message.bytes(text);
      memory = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
      numberAt = text.indexOf("|34=") + "|34=".length();
    }

    void receive(Session session, int number) {
      int rest = number;
      for (int at = numberAt + NUMBER_DIGITS - 1; at >= numberAt; at--) {
        memory.put(at, (byte) ('0' + rest % 10));
        rest /= 10;
      }
      int sumAt = memory.capacity() - TRAILER_BYTES;
      int sum = CheckSum.of(memory, 0, sumAt);
      memory.put(sumAt + 3, (byte) ('0' + sum / 100)).put(sumAt + 4, (byte) ('0' + sum / 10 % 10))
          .put(sumAt + 5, (byte) ('0' + sum % 10));
      session.protocol.receive(memory, 0, memory.capacity());
      session.drain();
    }
  }

  private static final String HEADER = "|34=000000000|49=BUYER|52=20260314-09:26:53.000|56=SELLER|";

  private int number = FIRST_NUMBER;

  private static long bytesPerRun(Runnable call) {
    long least = Long.MAX_VALUE;
    for (int run = 0; run < WARM_UP_RUNS + MEASURED_RUNS; run++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < ROUNDS; i++) {
        call.run();
      }
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      least = run < WARM_UP_RUNS ? least : Math.min(least, allocated);
    }
    return least;
  }

  @ParameterizedTest
  @EnumSource
  void applicationMessagesAllocateNothing(Version version) {
    Session session = new Session(version);
    Frame order = new Frame(version, "35=D" + HEADER + "11=B|21=1|78=2|79=a|80=50|79=b|80=50|55=INTC|54=1|"
        + "60=20260314-09:26:53.000|38=100|40=2|44=10.25|");
    byte[] body = Message.bytes("37=1|17=2|150=0|39=0|55=INTC|54=1|151=100|14=0|6=0|");
    ByteBuffer report = ByteBuffer.allocateDirect(body.length).put(0, body);
    int type = MsgType.key("8");

    assertThat(bytesPerRun(() -> {
      order.receive(session, number++);
      if (session.protocol.out().send(type, report, 0, report.capacity(), session.nowNanos, EPOCH_NANOS) < 0) {
        throw new AssertionError("the message is not taken");
      }
      session.drain();
    })).isZero();
    assertThat(session.delivered).isEqualTo(number - FIRST_NUMBER);
  }

  /** Messages that break rules which settings relax: they are counted, and an event of each kind comes once. */
  @ParameterizedTest
  @EnumSource
  void toleratedMessagesAllocateNothing(Version version) {
    Session session = new Session(version, rules -> rules.weakTimestamps(true).checkCompIds(false).checkLatency(false)
        .validation(ValidationSettings.builder().allowUnknownEnumValues(true).checkUserDefinedFields(false).build()));
    Frame order = new Frame(version, "35=D|34=000000000|49=OTHER|52=20260314-08:26:53.000|56=SELLER|11=B|21=1|55=INTC|"
        + "54=Z|60=2026-03-14T09:26:53Z|38=100|40=2|44=10.25|9000=x|");

    assertThat(bytesPerRun(() -> order.receive(session, number++))).isZero();
    assertThat(session.delivered).isEqualTo(number - FIRST_NUMBER);
    for (Leniency leniency : new Leniency[] {Leniency.COMP_ID, Leniency.LATENCY, Leniency.WEAK_TIMESTAMP,
        Leniency.UNKNOWN_ENUM_VALUE, Leniency.USER_DEFINED_FIELD}) {
      assertThat(session.protocol.validity().tolerated().count(leniency)).as("%s", leniency)
          .isEqualTo(number - FIRST_NUMBER);
    }
  }

  @ParameterizedTest
  @EnumSource
  void heartbeatsAndTestRequestsAllocateNothing(Version version) {
    Session session = new Session(version);
    Frame heartbeat = new Frame(version, "35=0" + HEADER);
    Frame testRequest = new Frame(version, "35=1" + HEADER + "112=ARE-YOU-THERE|");
    long before = session.protocol.store().nextOutbound();

    assertThat(bytesPerRun(() -> {
      heartbeat.receive(session, number++);
      testRequest.receive(session, number++);
      session.time(30_000_000_000L);
      session.protocol.onTime(); // a Heartbeat
      session.drain();
    })).isZero();
    assertThat(session.protocol.store().nextOutbound() - before).isEqualTo(number - FIRST_NUMBER);
  }

  @ParameterizedTest
  @EnumSource
  void silenceOfTheCounterpartyAllocatesNothing(Version version) {
    Session session = new Session(version);
    Frame heartbeat = new Frame(version, "35=0" + HEADER + "112=TEST|");
    long before = session.protocol.store().nextOutbound();

    assertThat(bytesPerRun(() -> {
      session.time(30_000_000_000L);
      session.protocol.onTime(); // a Heartbeat
      session.time(15_000_000_000L);
      session.protocol.onTime(); // a TestRequest
      session.drain();
      heartbeat.receive(session, number++);
    })).isZero();
    assertThat(session.protocol.store().nextOutbound() - before).isEqualTo(2L * (number - FIRST_NUMBER));
  }
}
