package dev.decant.fix.quickfix;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import quickfix.DoNotSend;
import quickfix.FieldNotFound;
import quickfix.IncorrectDataFormat;
import quickfix.IncorrectTagValue;
import quickfix.Message;
import quickfix.RejectLogon;
import quickfix.SessionID;
import quickfix.field.ClOrdID;
import quickfix.field.MsgType;
import quickfix.field.Password;
import quickfix.field.PossDupFlag;
import quickfix.field.Username;

/** Changes of an application in {@code toApp} and {@code toAdmin} have the same effect as with QuickFIX/J. */
@Timeout(60)
class CallbacksTest {
  /** Adds fields to what it sends, and does not send orders named "no", nor those named "once" again. */
  private static final class Sender extends Side {
    Sender(EngineUnderTest engine, int port) {
      super(engine, false, "FIX.4.4", port);
    }

    @Override
    public void toAdmin(Message message, SessionID session) {
      super.toAdmin(message, session);
      if (message.getHeader().getOptionalString(MsgType.FIELD).orElse("").equals("A")) {
        message.setString(Username.FIELD, "trader");
        message.setString(Password.FIELD, "secret");
      }
    }

    @Override
    public void toApp(Message message, SessionID session) throws DoNotSend {
      super.toApp(message, session);
      String id = message.getOptionalString(ClOrdID.FIELD).orElse("");
      boolean again = message.getHeader().isSetField(PossDupFlag.FIELD);
      if (id.equals("no") || (id.equals("once") && again)) {
        throw new DoNotSend();
      }
      message.getHeader().setString(115, "DESK");
    }
  }

  @ParameterizedTest
  @EnumSource(EngineUnderTest.class)
  void fieldsThatCallbacksAddAreSent(EngineUnderTest engine) throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port).start();
        Side buyer = new Sender(engine, port).start()) {
      buyer.awaitLogon();
      Message logon = venue.awaitAdmin("A");
      buyer.send(Orders.order("FIX.4.4", "A"));
      venue.awaitReceived(1);

      assertThat(logon.getString(Username.FIELD)).isEqualTo("trader");
      assertThat(logon.getString(Password.FIELD)).isEqualTo("secret");
      assertThat(venue.received.getFirst().getHeader().getString(115)).isEqualTo("DESK");
    }
  }

  @ParameterizedTest
  @EnumSource(EngineUnderTest.class)
  void messageThatIsNotToBeSentTakesNoNumber(EngineUnderTest engine) throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port).start();
        Side buyer = new Sender(engine, port).start()) {
      buyer.awaitLogon();
      assertThat(buyer.send(Orders.order("FIX.4.4", "no"))).isFalse();
      assertThat(buyer.engine.nextSender(buyer.id)).isEqualTo(2);
      assertThat(buyer.send(Orders.order("FIX.4.4", "A"))).isTrue();
      venue.awaitReceived(1);

      assertThat(venue.received.getFirst().getString(ClOrdID.FIELD)).isEqualTo("A");
      assertThat(buyer.engine.nextSender(buyer.id)).isEqualTo(3);
    }
  }

  /**
   * Orders that are sent before the logon are numbered and stored. The counterparty requests them at its logon: one is
   * sent, the other is not to be sent again, and a gap fill takes its place.
   */
  @ParameterizedTest
  @EnumSource(EngineUnderTest.class)
  void messagesOfALoggedOutSessionAreRequestedLater(EngineUnderTest engine) throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port);
        Side buyer = new Sender(engine, port).start()) {
      assertThat(buyer.send(Orders.order("FIX.4.4", "once"))).isFalse();
      assertThat(buyer.send(Orders.order("FIX.4.4", "A"))).isFalse();
      venue.start();
      buyer.awaitLogon();
      venue.awaitReceived(1);

      Message first = venue.received.getFirst();
      assertThat(first.getString(ClOrdID.FIELD)).isEqualTo("A");
      assertThat(first.getHeader().getBoolean(PossDupFlag.FIELD)).isTrue();
      assertThat(venue.awaitAdmin("4").getBoolean(123)).isTrue();
    }
  }

  @Test
  void logonTagsOfTheSettingsAreSent() throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port).start();
        Side buyer = new Side(EngineUnderTest.DECANT, false, "FIX.4.4", port).set("LogonTag", "553=user")
            .set("LogonTag1", "554=password").start()) {
      buyer.awaitLogon();
      Message logon = venue.awaitAdmin("A");

      assertThat(logon.getString(Username.FIELD)).isEqualTo("user");
      assertThat(logon.getString(Password.FIELD)).isEqualTo("password");
    }
  }

  /** Accepts the Logon of a counterparty after it has refused one. */
  private static final class Doorkeeper extends Side {
    private boolean hasRefused;

    Doorkeeper(EngineUnderTest engine, int port) {
      super(engine, true, "FIX.4.4", port);
    }

    @Override
    public void fromAdmin(Message message, SessionID session)
        throws FieldNotFound, IncorrectDataFormat, IncorrectTagValue, RejectLogon {
      super.fromAdmin(message, session);
      if (!hasRefused) {
        hasRefused = true;
        throw new RejectLogon("not yet");
      }
    }
  }

  /** An application that counts its sessions by onLogon and onLogout once counted one less for each refused Logon. */
  @ParameterizedTest
  @EnumSource(EngineUnderTest.class)
  void logoutFollowsOnlyALogonThatWasAccepted(EngineUnderTest engine) throws Exception {
    int port = Side.freePort();
    try (Side venue = new Doorkeeper(engine, port).start()) {
      try (Stranger refused = new Stranger(port, "BUYER", "")) {
        assertThat(refused.readUntil("none")).contains("|35=5|").contains("not yet");
      }
      try (Stranger accepted = new Stranger(port, "BUYER", "141=Y|")) {
        assertThat(accepted.readUntil("A")).contains("|35=A|");
        venue.awaitLogon();
      }
      Side.await("onLogout", () -> venue.callbacks.getLast().equals("onLogout"));

      assertThat(venue.callbacks.stream().filter(name -> name.startsWith("onLog"))).containsExactly("onLogon",
          "onLogout");
    }
  }
}
