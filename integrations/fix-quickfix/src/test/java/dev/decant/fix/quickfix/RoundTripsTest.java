package dev.decant.fix.quickfix;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import quickfix.FieldNotFound;
import quickfix.Group;
import quickfix.Message;
import quickfix.SessionNotFound;
import quickfix.field.ClOrdID;
import quickfix.field.MsgSeqNum;
import quickfix.field.NoPartyIDs;
import quickfix.field.NoPartySubIDs;
import quickfix.field.PartySubID;

/** An application of QuickFIX/J on Decant talks to one on QuickFIX/J's own engine. */
@Timeout(60)
class RoundTripsTest {
  @ParameterizedTest
  @CsvSource({"FIX.4.0,DECANT,QUICKFIX", "FIX.4.2,QUICKFIX,DECANT", "FIX.4.4,DECANT,QUICKFIX",
      "FIX.4.4,QUICKFIX,DECANT", "FIXT.1.1,DECANT,QUICKFIX", "FIXT.1.1,QUICKFIX,DECANT"})
  void messagesGoBothWays(String version, EngineUnderTest buying, EngineUnderTest selling) throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(selling, true, version, port).start();
        Side buyer = new Side(buying, false, version, port).start()) {
      buyer.awaitLogon();
      venue.awaitLogon();

      assertThat(buyer.send(Orders.order(version, "A"))).isTrue();
      assertThat(venue.send(Orders.order(version, "B"))).isTrue();
      venue.awaitReceived(1);
      buyer.awaitReceived(1);

      assertThat(venue.received.getFirst().getString(ClOrdID.FIELD)).isEqualTo("A");
      assertThat(buyer.received.getFirst().getString(ClOrdID.FIELD)).isEqualTo("B");
      assertThat(buyer.received.getFirst().getHeader().getInt(MsgSeqNum.FIELD)).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @CsvSource({"DECANT,QUICKFIX", "QUICKFIX,DECANT"})
  void nestedGroupsArriveWhole(EngineUnderTest buying, EngineUnderTest selling) throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(selling, true, "FIX.4.4", port).start();
        Side buyer = new Side(buying, false, "FIX.4.4", port).start()) {
      buyer.awaitLogon();
      buyer.send(Orders.orderOfParties("G"));
      venue.awaitReceived(1);

      Message order = venue.received.getFirst();
      assertThat(order).isInstanceOf(quickfix.fix44.NewOrderSingle.class);
      assertThat(Orders.parties(order)).isEqualTo(2);
      Group first = order.getGroup(1, NoPartyIDs.FIELD);
      assertThat(first.getGroup(2, NoPartySubIDs.FIELD).getString(PartySubID.FIELD)).isEqualTo("DESK2");
    }
  }

  /** The callbacks of both engines, for the same day: logon, an order, its echo, logout. */
  @Test
  void applicationsSeeTheSameCallbacks() throws Exception {
    assertThat(callbacksOfADay(EngineUnderTest.DECANT, false))
        .isEqualTo(withoutSecondLogout(callbacksOfADay(EngineUnderTest.QUICKFIX, false)));
    assertThat(callbacksOfADay(EngineUnderTest.DECANT, true))
        .isEqualTo(callbacksOfADay(EngineUnderTest.QUICKFIX, true));
  }

  /**
   * A thread of QuickFIX/J sends the Logout(5), and notes afterwards that it was sent. If the response is faster,
   * another thread takes it for the counterparty's wish, and sends a Logout(5) in response.
   */
  private static List<String> withoutSecondLogout(List<String> callbacks) {
    List<String> once = new ArrayList<>(callbacks);
    int response = once.lastIndexOf("toAdmin 5");
    if (once.indexOf("toAdmin 5") < response) {
      once.remove(response);
    }
    return once;
  }

  private static List<String> callbacksOfADay(EngineUnderTest engine, boolean accepts) throws Exception {
    int port = Side.freePort();
    EngineUnderTest other = EngineUnderTest.QUICKFIX;
    try (Side venue = new Echo(accepts ? engine : other, true, port).start();
        Side buyer = new Side(accepts ? other : engine, false, "FIX.4.4", port).start()) {
      buyer.awaitLogon();
      buyer.send(Orders.order("FIX.4.4", "A"));
      buyer.awaitReceived(1);
      buyer.engine.logout(buyer.id);
      Side.await("logout", () -> venue.callbacks.contains("onLogout") && buyer.callbacks.contains("onLogout"));
      return List.copyOf((accepts ? venue : buyer).callbacks);
    }
  }

  /** Sends back what it gets, from within the callback. */
  static final class Echo extends Side {
    Echo(EngineUnderTest engine, boolean accepts, int port) {
      super(engine, accepts, "FIX.4.4", port);
    }

    @Override
    public void fromApp(Message message, quickfix.SessionID session) {
      callbacks.add("fromApp");
      try {
        engine.send(message, session);
      } catch (SessionNotFound e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void messageHasItsNumberOnceItIsSent() throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port).start();
        Side buyer = new Side(EngineUnderTest.DECANT, false, "FIX.4.4", port).start()) {
      buyer.awaitLogon();
      Message order = Orders.order("FIX.4.4", "N");
      buyer.send(order);
      venue.awaitReceived(1);

      assertThat(number(order)).isEqualTo(number(venue.received.getFirst())).isEqualTo(2);
    }
  }

  private static int number(Message message) throws FieldNotFound {
    return message.getHeader().getInt(MsgSeqNum.FIELD);
  }
}
