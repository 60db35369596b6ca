package dev.decant.fix.quickfix;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import quickfix.FieldNotFound;
import quickfix.IncorrectDataFormat;
import quickfix.IncorrectTagValue;
import quickfix.Message;
import quickfix.MessageCracker;
import quickfix.RejectLogon;
import quickfix.SessionID;
import quickfix.UnsupportedMessageType;
import quickfix.field.ClOrdID;
import quickfix.field.MsgType;

/** An exception of an application leads to the same reject from both engines. */
@Timeout(60)
@SuppressWarnings("try") // the other side is there, and is not called
class RejectsTest {
  private static final int[] FIELDS = {45, 371, 372, 373, 380};

  /** Throws what the order's ClOrdID names. */
  private static final class Thrower extends Side {
    Thrower(EngineUnderTest engine, String version, int port) {
      super(engine, true, version, port);
    }

    @Override
    public void fromApp(Message message, SessionID session)
        throws FieldNotFound, IncorrectDataFormat, IncorrectTagValue, UnsupportedMessageType {
      switch (message.getString(ClOrdID.FIELD)) {
        case "missing" -> message.getString(7777);
        case "type" -> throw new UnsupportedMessageType();
        case "value" -> throw new IncorrectTagValue(54);
        case "format" -> throw new IncorrectDataFormat(38, "x");
        default -> new MessageCracker(this).crack(message, session);
      }
      super.fromApp(message, session);
    }
  }

  private static List<String> rejects(EngineUnderTest engine, String version) throws Exception {
    int port = Side.freePort();
    List<Message> got = new ArrayList<>();
    try (Side venue = new Thrower(engine, version, port).start();
        Side buyer = new Side(EngineUnderTest.QUICKFIX, false, version, port).start()) {
      buyer.awaitLogon();
      for (String id : new String[] {"missing", "type", "value", "format", "cracked"}) {
        buyer.send(Orders.order(version, id));
      }
      Side.await("5 rejects", () -> rejects(buyer).size() >= 5);
      got.addAll(rejects(buyer));
    }
    List<String> shown = new ArrayList<>();
    for (Message reject : got) {
      StringBuilder text = new StringBuilder(reject.getHeader().getString(MsgType.FIELD));
      for (int field : FIELDS) {
        text.append(' ').append(field).append('=').append(reject.getOptionalString(field).orElse(""));
      }
      shown.add(text.toString());
    }
    shown.sort(null);
    return shown;
  }

  private static List<Message> rejects(Side side) {
    List<Message> all = new ArrayList<>(side.admin.stream()
        .filter(message -> message.getHeader().getOptionalString(MsgType.FIELD).orElse("").equals("3")).toList());
    all.addAll(side.received.stream()
        .filter(message -> message.getHeader().getOptionalString(MsgType.FIELD).orElse("").equals("j")).toList());
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIX.4.1", "FIX.4.4"})
  void exceptionsOfFromAppBecomeTheSameRejects(String version) throws Exception {
    assertThat(rejects(EngineUnderTest.DECANT, version)).isEqualTo(rejects(EngineUnderTest.QUICKFIX, version));
  }

  /** Refuses each Logon with a reason. */
  private static final class Refuser extends Side {
    Refuser(EngineUnderTest engine, boolean accepts, int port) {
      super(engine, accepts, "FIX.4.4", port);
    }

    @Override
    public void fromAdmin(Message message, SessionID session)
        throws FieldNotFound, IncorrectDataFormat, IncorrectTagValue, RejectLogon {
      super.fromAdmin(message, session);
      if (message.getHeader().getString(MsgType.FIELD).equals("A")) {
        throw new RejectLogon("not today");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(EngineUnderTest.class)
  void rejectLogonOfAnAcceptorSendsALogoutWithTheReason(EngineUnderTest engine) throws Exception {
    int port = Side.freePort();
    try (Side venue = new Refuser(engine, true, port).start();
        Side buyer = new Side(EngineUnderTest.QUICKFIX, false, "FIX.4.4", port).start()) {
      Message logout = buyer.awaitAdmin("5");

      assertThat(logout.getString(58)).isEqualTo("not today");
      assertThat(venue.callbacks).doesNotContain("onLogon");
    }
  }

  @ParameterizedTest
  @EnumSource(EngineUnderTest.class)
  void rejectLogonOfAnInitiatorSendsALogoutWithTheReason(EngineUnderTest engine) throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port).start();
        Side buyer = new Refuser(engine, false, port).start()) {
      Message logout = venue.awaitAdmin("5");

      assertThat(logout.getString(58)).isEqualTo("not today");
      assertThat(buyer.callbacks).doesNotContain("onLogon");
    }
  }
}
