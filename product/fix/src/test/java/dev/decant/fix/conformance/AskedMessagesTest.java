package dev.decant.fix.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.fix.event.SessionEvents;
import dev.decant.fix.event.SessionListener;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * An application sends on one session within a callback about a message of another. To make room, the first session
 * once continued its replay. Its gap fill overwrote the message of the callback, since the sessions of a loop build
 * these messages in the same memory.
 */
class AskedMessagesTest {
  private static final long EPOCH_NANOS = 1_773_480_413_000_000_000L;
  private static final int OWN_FIELD = 9001;
  /** More than a turn of a replay looks at. */
  private static final int ORDERS = 300;

  private final LoopMemory loop = new LoopMemory(() -> 2);
  private final Desk one = new Desk("ONE");
  private final Desk other = new Desk("OTHER");

  /** A session of the loop, with what the application does in its callbacks. */
  private final class Desk implements SessionUser {
    final List<Message> sent = new ArrayList<>();
    final SessionEvents events = new SessionEvents();
    final SessionProtocol protocol;
    Runnable onAdmin = () -> {};
    Runnable onOrder = () -> {};
    boolean ended;
    private final String name;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(4_096);
    private int theirNumber = 1;
    private MessageView order = new MessageView();

    Desk(String name) {
      this.name = name;
      SessionSettings settings = SessionSettings.of(SessionId.of("FIX.4.4", SessionUnderTest.OURS, name))
          .sendWhileLoggedOut(true).build();
      protocol = new SessionProtocol(new SessionProtocol.Parts(settings,
          new MemoryStores(1 << 20).open(settings.id(), EPOCH_NANOS), MessageLog.none(), events, new SessionTime(),
          loop), this, null);
      protocol.time().set(1, EPOCH_NANOS);
    }

    @Override
    public @Nullable String refuseLogon(MessageView logon) {
      return null;
    }

    @Override
    public void completeLogon(FieldWriter logon) {
      onAdmin.run();
      logon.text(553, "user-" + name);
    }

    @Override
    public void completeAdmin(int msgType, FieldWriter fields) {
      onAdmin.run();
      fields.text(OWN_FIELD, "of-" + MsgType.text(msgType) + '-' + name);
    }

    @Override
    public void onLogon() {}

    @Override
    public void onMessage(MessageView message) {
      order = message;
      onOrder.run();
    }

    @Override
    public boolean mayResend(MessageView message) {
      return false; // all is skipped by a gap fill
    }

    @Override
    public void closeConnection(String reason) {
      ended = true;
      protocol.output().clear();
    }

    void reject(String text) {
      protocol.rejectFor(order, 99, 11, text);
    }

    void receive(String type, String body) {
      String header = "35=" + type + "|34=" + theirNumber++ + "|49=" + name + "|52=20260314-09:26:53.000|56="
          + SessionUnderTest.OURS + '|';
      byte[] start = Message.bytes("8=FIX.4.4|9=" + (header.length() + body.length()) + '|' + header + body);
      int sum = 0;
      for (byte b : start) {
        sum += b & 0xFF;
      }
      byte[] trailer = Message.bytes(String.format("10=%03d|", sum & 0xFF));
      memory.put(0, start).put(start.length, trailer);
      protocol.receive(memory, 0, start.length + trailer.length);
    }

    Desk loggedOn() {
      protocol.connected(false);
      receive("A", "98=0|108=30|");
      takeSent();
      return this;
    }

    void store(String id) {
      byte[] body = Message.bytes("11=" + id + '|');
      memory.put(0, body);
      assertThat(protocol.out().send(MsgType.key("D"), memory, 0, body.length, 1, EPOCH_NANOS)).isPositive();
    }

    /** What an engine does when there is to be room for a message. */
    void makeRoom() {
      protocol.resendMore();
    }

    List<Message> takeSent() {
      while (protocol.output().hasSlice()) {
        ByteBuffer slice = Objects.requireNonNull(protocol.output().takeSlice());
        byte[] bytes = new byte[slice.remaining()];
        slice.get(bytes);
        sent.addAll(Message.split(bytes));
        protocol.output().sliceWritten();
      }
      List<Message> taken = List.copyOf(sent);
      sent.clear();
      return taken;
    }
  }

  private static String fields(Message message, int... tags) {
    StringBuilder text = new StringBuilder(message.value(35, 0));
    for (int tag : tags) {
      text.append(' ').append(tag).append('=').append(message.value(tag, 0));
    }
    return text.toString();
  }

  /** The next turn of the other session is a gap fill. */
  private void otherHasToFillAGap() {
    other.loggedOn();
    for (int i = 0; i < ORDERS; i++) {
      other.store("N" + i);
    }
    other.takeSent();
    other.receive("2", "7=1|16=0|");
  }

  private List<String> gapFills() {
    while (other.protocol.resendMore()) {
      // to the end
    }
    return other.takeSent().stream().map(message -> fields(message, 34, 36, OWN_FIELD)).toList();
  }

  @Test
  void heartbeatStaysAsItIsWhileAnotherSessionFillsAGap() {
    one.loggedOn();
    otherHasToFillAGap();
    one.onAdmin = other::makeRoom;
    one.receive("1", "112=X|");

    assertThat(one.takeSent()).extracting(message -> fields(message, 112, 36, OWN_FIELD))
        .containsExactly("0 112=X 36=null 9001=of-0-ONE");
    assertThat(gapFills()).containsExactly("4 34=1 36=" + (ORDERS + 2) + " 9001=of-4-OTHER");
  }

  @Test
  void logonStaysAsItIsWhileAnotherSessionFillsAGap() {
    otherHasToFillAGap();
    one.onAdmin = other::makeRoom;
    one.protocol.connected(false);
    one.receive("A", "98=0|108=30|");

    assertThat(one.takeSent()).extracting(message -> fields(message, 98, 108, 553, 36, OWN_FIELD))
        .containsExactly("A 98=0 108=30 553=user-ONE 36=null 9001=of-A-ONE");
    assertThat(gapFills()).containsExactly("4 34=1 36=" + (ORDERS + 2) + " 9001=of-4-OTHER");
  }

  /** The listener sends on another session, say. */
  @Test
  void rejectStaysAsItIsWhileAListenerIsTold() {
    one.loggedOn();
    otherHasToFillAGap();
    Registration listening = one.events.add(new SessionListener() {
      @Override
      public void onRejectSent(SessionId session, long number, String reason) {
        other.makeRoom();
      }
    });
    one.onOrder = () -> one.reject("no such order");
    one.receive("D", "11=A|");
    listening.close();
    assertThat(one.takeSent()).extracting(message -> fields(message, 45, 58, 36)).endsWith(
        "3 45=2 58=no such order 36=null");
    assertThat(gapFills()).containsExactly("4 34=1 36=" + (ORDERS + 2) + " 9001=of-4-OTHER");
  }

  @Test
  void sessionMakesAMessageWhileItIsAskedAboutAnother() {
    one.loggedOn();
    List<String> later = new ArrayList<>(List.of("second", "third"));
    one.onAdmin = () -> {
      if (!later.isEmpty()) {
        one.reject(later.removeFirst());
      }
    };
    one.onOrder = () -> one.reject("first");
    one.receive("D", "11=A|");

    assertThat(one.takeSent()).extracting(message -> fields(message, 34, 58, OWN_FIELD)).containsExactly(
        "3 34=2 58=third 9001=of-3-ONE", "3 34=3 58=second 9001=of-3-ONE", "3 34=4 58=first 9001=of-3-ONE");
    one.receive("1", "112=X|");
    assertThat(one.takeSent()).extracting(message -> fields(message, 34, 112, 58))
        .containsExactly("0 34=5 112=X 58=null");
  }

  @Test
  void replayGoesOnWhileItsSessionIsAskedAboutAnotherMessage() {
    otherHasToFillAGap();
    other.onAdmin = other::makeRoom;
    other.receive("1", "112=X|");

    assertThat(gapFills()).containsExactlyInAnyOrder("4 34=1 36=" + (ORDERS + 2) + " 9001=of-4-OTHER",
        "0 34=" + (ORDERS + 2) + " 36=null 9001=of-0-OTHER");
  }

  /** A message whose connection broke in the callback counted as sent, and the engine's last report missed it. */
  @Test
  void messagesOfASessionThatEndsInTheCallbackOfItsGapFillAreUnsent() {
    one.store("A");
    one.store("B");
    one.loggedOn();
    one.onAdmin = () -> one.protocol.disconnected("the connection is broken");
    one.receive("2", "7=1|16=0|");

    assertThat(one.ended).isTrue();
    assertThat(one.protocol.out().unsent().first()).isEqualTo(1);
    assertThat(one.protocol.out().unsent().last()).isEqualTo(2);
  }
}
