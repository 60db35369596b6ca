package dev.decant.fix.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.session.LoopMemory;
import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.SessionTime;
import dev.decant.fix.session.SessionUser;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MemoryStores;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A message that is sent during a replay gets its number at once and follows the replay. Before it, a counterparty that
 * fills a gap would find its number too high and request it again.
 */
@Timeout(60)
class HeldMessagesTest {
  private static final long EPOCH_NANOS = 1_773_480_413_000_000_000L;
  private static final int MESSAGES = 100;

  private final List<String> sent = new ArrayList<>();
  private final ByteBuffer memory = ByteBuffer.allocateDirect(4_096);
  private boolean ended;
  private Runnable onAdminToBeSent = () -> {};
  private final List<Integer> asked = new ArrayList<>();
  private int everyNthIsNotResent = Integer.MAX_VALUE;
  private int gapFillsToBeSent;
  private final SessionProtocol protocol = open();
  private int theirNumber = 1;

  private SessionProtocol open() {
    SessionSettings settings = SessionSettings
        .of(new SessionId("FIX.4.4", SessionUnderTest.OURS, "", SessionUnderTest.THEIRS, "", ""))
        .ringBytes(1 << 13).outputBytes(1 << 13).maxMessageBytes(1 << 12).build();
    SessionProtocol opened = new SessionProtocol(new SessionProtocol.Parts(settings,
        new MemoryStores(1 << 18).open(settings.id(), EPOCH_NANOS), MessageLog.none(), new SessionEvents(),
        new SessionTime(), new LoopMemory(() -> 1)), new User(), null);
    opened.time().set(1, EPOCH_NANOS);
    return opened;
  }

  private final class User implements SessionUser {
    @Override
    public @Nullable String refuseLogon(MessageView logon) {
      return null;
    }

    @Override
    public void completeLogon(FieldWriter logon) {}

    @Override
    public void completeAdmin(int msgType, FieldWriter fields) {
      onAdminToBeSent.run();
      gapFillsToBeSent += msgType == MsgType.SEQUENCE_RESET ? 1 : 0;
    }

    @Override
    public void onLogon() {}

    @Override
    public void onMessage(MessageView message) {
      throw new UnsupportedOperationException("the application takes no messages");
    }

    @Override
    public boolean mayResend(MessageView message) {
      int number = (int) message.integer(34);
      asked.add(number);
      return number % everyNthIsNotResent != 0;
    }

    @Override
    public void closeConnection(String reason) {
      protocol.output().take(protocol.output().rest()).forEach(HeldMessagesTest.this::note);
      protocol.output().clear();
      ended = true;
    }
  }

  private void receive(String type, String body) {
    String header = "35=" + type + "|34=" + theirNumber++ + "|49=" + SessionUnderTest.THEIRS
        + "|52=20260314-09:26:53.000|56=" + SessionUnderTest.OURS + '|';
    byte[] start = Message.bytes("8=FIX.4.4|9=" + (header.length() + body.length()) + '|' + header + body);
    int sum = 0;
    for (byte b : start) {
      sum += b & 0xFF;
    }
    byte[] trailer = Message.bytes(String.format("10=%03d|", sum & 0xFF));
    memory.put(0, start).put(start.length, trailer);
    protocol.receive(memory, 0, start.length + trailer.length);
  }

  private long send(String id) {
    byte[] body = Message.bytes("11=" + id + "|58=" + "x".repeat(100) + '|');
    memory.put(0, body);
    return protocol.out().send(MsgType.key("D"), memory, 0, body.length, 1, EPOCH_NANOS);
  }

  private void note(ByteBuffer slice) {
    byte[] bytes = new byte[slice.remaining()];
    slice.get(bytes);
    for (Message message : Message.split(bytes)) {
      sent.add(message.value(35, 0) + message.value(34, 0) + ("Y".equals(message.value(43, 0)) ? " again" : ""));
    }
  }

  /** Writes a slice to the socket, if there is one. */
  private boolean writeSlice() {
    protocol.resendMore();
    ByteBuffer slice = protocol.output().hasSlice() ? protocol.output().takeSlice() : null;
    if (slice != null) {
      note(slice);
      protocol.output().sliceWritten();
    }
    return slice != null;
  }

  private void writeAll() {
    boolean more = true;
    while (more) {
      more = writeSlice();
    }
  }

  private void logOnAndSend() {
    protocol.connected(false);
    receive("A", "98=0|108=30|");
    for (int i = 0; i < MESSAGES; i++) {
      send("N" + i);
      writeAll();
    }
    sent.clear();
  }

  private static List<String> again() {
    List<String> again = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      again.add("D" + (2 + i) + " again");
    }
    return again;
  }

  @Test
  void messagesThatAreSentDuringAReplayFollowIt() {
    logOnAndSend();
    receive("2", "7=2|16=0|"); // more than the output takes at once
    assertThat(send("A")).isEqualTo(2 + MESSAGES);
    writeSlice();
    assertThat(send("B")).isEqualTo(3 + MESSAGES);
    receive("1", "112=X|"); // answered under the next number, behind those
    writeAll();

    List<String> expected = again();
    expected.addAll(List.of("D102", "D103", "0104"));
    assertThat(sent).isEqualTo(expected);
  }

  /** They have not left yet: with PossDupFlag first and without it then, the counterparty would end the session. */
  @Test
  void requestDuringAReplayDoesNotAskForWhatIsHeldBack() {
    logOnAndSend();
    receive("2", "7=2|16=0|");
    send("A");
    receive("2", "7=101|16=0|");
    writeAll();

    assertThat(sent.getLast()).isEqualTo("D102");
    assertThat(sent).filteredOn(message -> message.startsWith("D102")).containsExactly("D102");
    assertThat(sent).contains("D101 again");
  }

  /** A Heartbeat need not wait for a long replay if nothing before it does. */
  @Test
  void sessionMessageGoesInBetweenWhenNothingIsHeldBack() {
    logOnAndSend();
    receive("2", "7=2|16=0|");
    receive("1", "112=X|");
    writeAll();

    assertThat(sent).hasSize(MESSAGES + 1).contains("0102");
    assertThat(sent.indexOf("0102")).isLessThan(MESSAGES);
  }

  /** The application sends within the callback, say, and the socket turns out to be broken. */
  @Test
  void messageOfASessionThatHasEndedMeanwhileTakesNoNumber() {
    logOnAndSend();
    onAdminToBeSent = () -> protocol.disconnected("the connection is broken");
    receive("1", "112=X|");

    assertThat(protocol.store().nextOutbound()).isEqualTo(2 + MESSAGES);
  }

  /** It counted as handled, so it did not come again, and neither the application nor the counterparty knew of it. */
  @Test
  void messageWhoseRejectFindsNoRoomDoesNotCount() {
    logOnAndSend();
    receive("2", "7=2|16=0|");
    while (send("A") > 0) {
      // what is held back leaves room for messages of the session only
    }
    long sentBefore = protocol.store().nextOutbound();
    while (!ended) {
      receive("D", "11=X|");
    }
    long rejects = protocol.store().nextOutbound() - sentBefore;
    assertThat(rejects).isPositive();
    assertThat(protocol.store().nextInbound()).isEqualTo(3 + rejects); // behind a Logon and a ResendRequest
  }

  @Test
  void logoutBehindHeldMessagesLeavesWithThem() {
    logOnAndSend();
    receive("2", "7=2|16=0|");
    send("A");
    receive("5", "");

    assertThat(ended).isTrue();
    assertThat(sent).endsWith("D102", "5103");
  }

  /** A message that found no room in the output was asked about again at each turn, and so was a gap fill. */
  @Test
  void applicationIsAskedOnceAboutEachMessageOfAReplay() {
    everyNthIsNotResent = 5;
    logOnAndSend();
    receive("2", "7=2|16=0|");
    for (int turn = 0; turn < 10; turn++) { // The socket takes nothing.
      protocol.resendMore();
    }
    writeAll();
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      all.add(2 + i);
    }
    assertThat(asked).isEqualTo(all);
    assertThat(sent).hasSize(MESSAGES);
    assertThat(gapFillsToBeSent).isEqualTo(MESSAGES / 5);
  }
}
