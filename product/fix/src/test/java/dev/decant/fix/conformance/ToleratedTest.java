package dev.decant.fix.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.dictionary.ValidationSettings;
import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.Leniency;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.session.LoopMemory;
import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.SessionTime;
import dev.decant.fix.session.SessionUser;
import dev.decant.fix.session.Validation;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.store.MemoryStores;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Accepted messages that break a rule are counted, and reported without a flood of lines. By default they are refused.
 */
@Timeout(60)
@SuppressWarnings("NullAway") // each test begins with its protocol
class ToleratedTest {
  private static final long EPOCH_NANOS = 1_773_480_413_000_000_000L;
  private static final String TIME = "20260314-09:26:53.000";
  private static final String ORDER = "11=O|21=1|55=X|54=1|60=" + TIME + "|40=1|";

  private final List<String> delivered = new ArrayList<>();
  private final List<String> sent = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final ByteBuffer memory = ByteBuffer.allocateDirect(4_096);
  private SessionProtocol protocol = null;
  private String beginString = "FIX.4.4";
  private int theirNumber = 1;
  private long nowNanos = 1;

  private final class User implements SessionUser {
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
      delivered.add(message.string(11, "?") + (message.has(126) ? " " + message.timestamp(126) : ""));
    }

    @Override
    public boolean mayResend(MessageView message) {
      return true;
    }

    @Override
    public void closeConnection(String reason) {
      take();
      sent.add("closed");
    }
  }

  private void open(Version version, boolean withDictionary, UnaryOperator<SessionSettingsBuilder> rules,
      String logonFields) {
    beginString = version.beginString();
    SessionSettingsBuilder builder = SessionSettings
        .of(new SessionId(beginString, SessionUnderTest.OURS, "", SessionUnderTest.THEIRS, "", ""));
    if (withDictionary) {
      TestDictionaries.set(builder, version);
    }
    if (version == Version.FIXT11) {
      builder.dictionary(TestDictionaries.transport());
    }
    SessionSettings settings = rules.apply(builder).build();
    SessionEvents listeners = new SessionEvents();
    listeners.add(new SessionListener() {
      @Override
      public void onTolerated(SessionId session, Leniency leniency, long count, String example) {
        events.add(leniency + " " + count + ": " + example);
      }
    });
    protocol = new SessionProtocol(new SessionProtocol.Parts(settings,
        new MemoryStores(1 << 18).open(settings.id(), EPOCH_NANOS), MessageLog.none(), listeners, new SessionTime(),
        new LoopMemory(() -> 1)), new User(), Validation.of(settings));
    protocol.time().set(nowNanos, EPOCH_NANOS);
    protocol.connected(false);
    receive("A", "98=0|108=30|" + logonFields);
    sent.clear();
  }

  private void open(UnaryOperator<SessionSettingsBuilder> rules) {
    open(Version.FIX44, true, rules, "");
  }

  private static UnaryOperator<SessionSettingsBuilder> validation(UnaryOperator<ValidationSettings.Builder> rules) {
    return builder -> builder.validation(rules.apply(ValidationSettings.builder()).build());
  }

  private void receive(String type, String body) {
    receive(type, "49=" + SessionUnderTest.THEIRS + "|52=" + TIME + "|56=" + SessionUnderTest.OURS + '|', body);
  }

  private void receive(String type, String ends, String body) {
    String content = "35=" + type + "|34=" + theirNumber++ + '|' + ends + body;
    byte[] start = Message.bytes("8=" + beginString + "|9=" + content.length() + '|' + content);
    int sum = 0;
    for (byte b : start) {
      sum += b & 0xFF;
    }
    byte[] trailer = Message.bytes(String.format("10=%03d|", sum & 0xFF));
    memory.put(0, start).put(start.length, trailer);
    protocol.receive(memory, 0, start.length + trailer.length);
    take();
  }

  private void take() {
    while (protocol.output().hasSlice()) {
      ByteBuffer slice = protocol.output().takeSlice();
      byte[] bytes = new byte[slice.remaining()];
      slice.get(bytes);
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      if (text.contains("\u0001112=\u0001")) { // Message wants each field to have a value
        sent.add("0 with an empty TestReqID");
        protocol.output().sliceWritten();
        continue;
      }
      for (Message message : Message.split(bytes)) {
        sent.add(message.value(35, 0) + reason(message));
      }
      protocol.output().sliceWritten();
    }
  }

  private static String reason(Message message) {
    String reason = message.value(373, 0);
    return reason == null ? "" : " " + reason + " for " + message.value(371, 0);
  }

  private long count(Leniency leniency) {
    return protocol.validity().tolerated().count(leniency);
  }

  @Test
  void unknownValuesAreCountedAndReachTheApplication() {
    open(validation(rules -> rules.allowUnknownEnumValues(true)));
    receive("D", ORDER.replace("54=1", "54=Z"));
    receive("D", ORDER);

    assertThat(delivered).containsExactly("O", "O");
    assertThat(count(Leniency.UNKNOWN_ENUM_VALUE)).isEqualTo(1);
    assertThat(protocol.validity().tolerated().total()).isEqualTo(1);
    assertThat(events).containsExactly("UNKNOWN_ENUM_VALUE 1: message 2, field 54");
  }

  @Test
  void theDefaultLetsNothingThrough() {
    open(builder -> builder);
    receive("D", ORDER.replace("54=1", "54=Z"));
    receive("D", "49=OTHER|52=" + TIME + "|56=" + SessionUnderTest.OURS + '|', ORDER);

    assertThat(sent).contains("3 5 for 54", "3 9 for null");
    assertThat(delivered).isEmpty();
    assertThat(events).isEmpty();
    assertThat(protocol.validity().tolerated().total()).isZero();
  }

  @Test
  void aFloodIsReportedOnceAMinute() {
    open(validation(rules -> rules.allowUnknownEnumValues(true).checkFieldsHaveValues(false)));
    for (int i = 0; i < 100; i++) {
      receive("D", ORDER.replace("54=1", "54=Z"));
    }
    nowNanos += TimeUnit.SECONDS.toNanos(59);
    protocol.time().set(nowNanos, EPOCH_NANOS);
    receive("D", ORDER.replace("54=1", "54=Z"));
    assertThat(events).containsExactly("UNKNOWN_ENUM_VALUE 1: message 2, field 54");

    receive("D", ORDER.replace("40=1", "40="));
    nowNanos += TimeUnit.SECONDS.toNanos(1);
    protocol.time().set(nowNanos, EPOCH_NANOS);
    receive("D", ORDER.replace("54=1", "54=Z"));
    assertThat(events.subList(1, events.size())).containsExactly("EMPTY_VALUE 1: message 103, field 40",
        "UNKNOWN_ENUM_VALUE 102: message 104, field 54");
  }

  /** A counterparty that sends an empty TestReqID(112) waits for one. */
  @Test
  void anEmptyTestReqIdComesBackIfItIsTolerated() {
    open(validation(rules -> rules.checkFieldsHaveValues(false)));
    receive("1", "112=|");
    assertThat(sent).containsExactly("0 with an empty TestReqID");

    theirNumber = 1;
    open(Version.FIX44, false, builder -> builder, "");
    receive("1", "112=|");
    assertThat(sent).as("by default a field has a value").containsExactly("0");
  }

  @Test
  void otherCompIdsAndLatencyAreCounted() {
    open(builder -> builder.checkCompIds(false).checkLatency(false));
    receive("D", "49=OTHER|52=" + TIME + "|56=" + SessionUnderTest.OURS + '|', ORDER);
    receive("D", "49=BUYER|52=20260314-09:20:00.000|56=" + SessionUnderTest.OURS + '|', ORDER);

    assertThat(delivered).hasSize(2);
    assertThat(events).containsExactly("COMP_ID 1: message 2, field 49", "LATENCY 1: message 3, field 52");
  }

  @Test
  void latencyIsRefusedByDefault() {
    open(builder -> builder);
    receive("D", "49=BUYER|52=20260314-09:20:00.000|56=" + SessionUnderTest.OURS + '|', ORDER);

    assertThat(sent).contains("3 10 for 52");
    assertThat(delivered).isEmpty();
  }

  @Test
  void duplicatesWithoutTheirFirstTimeAreCounted() {
    open(builder -> builder.requireOrigSendingTime(false));
    receive("D", "43=Y|49=BUYER|52=" + TIME + "|56=" + SessionUnderTest.OURS + '|', ORDER);

    assertThat(count(Leniency.ORIG_SENDING_TIME)).isEqualTo(1);
    assertThat(delivered).hasSize(1);
  }

  /** Each invalid message was a line of the log of its own. */
  @Test
  void invalidMessagesThatAreNotRejectedAreCounted() {
    open(builder -> builder.rejectInvalid(false));
    for (int i = 0; i < 50; i++) {
      receive("D", ORDER + "999=x|");
    }

    assertThat(delivered).hasSize(50);
    assertThat(count(Leniency.INVALID_MESSAGE)).isEqualTo(50);
    assertThat(events).containsExactly("INVALID_MESSAGE 1: message 2, field 999");
  }

  @Test
  void unknownMessagesReachTheApplication() {
    open(validation(rules -> rules.allowUnknownMessages(true)));
    receive("UX", "11=A|");
    receive("LONGER", "11=B|");

    assertThat(delivered).containsExactly("A", "B");
    assertThat(count(Leniency.UNKNOWN_MESSAGE)).isEqualTo(2);
    assertThat(protocol.store().nextInbound()).isEqualTo(4);
  }

  @Test
  void weakTimestampsAreReadWithAndWithoutADictionary() {
    for (boolean withDictionary : new boolean[] {true, false}) {
      theirNumber = 1;
      events.clear();
      delivered.clear();
      open(Version.FIX44, withDictionary, builder -> builder.weakTimestamps(true), "");
      receive("D", "49=BUYER|52=2026-03-14T09:26:53Z|56=" + SessionUnderTest.OURS + '|', ORDER
          + "126=2026-03-14 09:27|");

      assertThat(delivered).containsExactly("O 1773480420000000000");
      assertThat(count(Leniency.WEAK_TIMESTAMP)).isEqualTo(1);
      assertThat(events).hasSize(1);
    }
  }

  @Test
  void weakTimestampsAreRefusedByDefault() {
    open(builder -> builder);
    receive("D", ORDER + "126=2026-03-14 09:27|");

    assertThat(sent).contains("3 6 for 126");
  }

  /** ApplVerID(1128) of a message was ignored: messages of another version were validated as the session's own. */
  @Test
  void messagesAreValidatedByTheVersionOfTheirOwn() {
    Dictionary ofSp2 = TestDictionaries.application(2);
    open(Version.FIXT11, true, builder -> builder.applicationDictionary("9", ofSp2), "1137=7|");
    receive("D", ORDER);
    receive("D", ends("1128=9|"), ORDER + "7777=x|");
    receive("D", ends("1128=7|"), ORDER + "7777=x|");
    receive("D", ends(""), ORDER + "7777=x|");

    assertThat(sent).containsExactly("3 0 for 7777", "3 0 for 7777");
    assertThat(delivered).hasSize(2);
  }

  private static String ends(String applVerId) {
    return applVerId + "49=BUYER|52=" + TIME + "|56=" + SessionUnderTest.OURS + '|';
  }

  @Test
  void messagesOfAVersionWithoutADictionaryAreRefused() {
    open(Version.FIXT11, true, builder -> builder, "1137=7|");
    receive("D", ends("1128=8|"), ORDER);
    receive("D", ends("1128=|"), ORDER);

    assertThat(sent).containsExactly("3 18 for 1128", "3 4 for 1128");
    assertThat(delivered).isEmpty();
  }

  @Test
  void messagesOfAVersionWithoutADictionaryPassIfAllowed() {
    open(Version.FIXT11, true, validation(rules -> rules.allowUnknownApplVerIds(true)), "1137=8|");
    receive("D", ends("1128=8|"), ORDER);
    receive("D", ends("1128=8|"), ORDER + "7777=x|");

    assertThat(sent).containsExactly("3 0 for 7777");
    assertThat(delivered).hasSize(1);
    assertThat(events).containsExactly("APPL_VER_ID 1: message 1, field 1137");
    assertThat(count(Leniency.APPL_VER_ID)).isEqualTo(2);
  }

  @Test
  void dictionariesAreReplacedBetweenTwoMessages() {
    open(Version.FIXT11, true, builder -> builder, "1137=7|");
    receive("D", ORDER + "7777=x|");
    protocol.validity().replace("7", TestDictionaries.application(2));
    receive("D", ORDER + "7777=x|");

    assertThat(sent).containsExactly("3 0 for 7777");
    assertThat(delivered).hasSize(1);
  }
}
