package dev.decant.lab.fix;

import dev.decant.fix.Application;
import dev.decant.fix.FixSession;
import dev.decant.fix.OutboundMessage;
import dev.decant.fix.SendStatus;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.StandardHeader;
import dev.decant.fix.message.Tag;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The acceptor's application that acceptance tests of FIX engines expect. It sends orders and security definitions back
 * as they came, and rejects all other messages. It ignores an order with PossResend(97) that it has seen since the
 * logon.
 */
public final class EchoAcceptor implements Application {
  private static final int NEW_ORDER_SINGLE = MsgType.key("D");
  private static final int SECURITY_DEFINITION = MsgType.key("d");
  private static final int EMAIL = MsgType.key("C");
  private static final int CL_ORD_ID = 11;
  private static final int NO_RELATED_SYM = 146;
  private static final int NO_SECURITY_ALT_ID = 454;
  private static final int MAX_BODY_BYTES = 32_000;

  private final boolean echoesEmail;
  private final Map<FixSession, Peer> peers = new HashMap<>();

  /** The state of one session. The owner of the loop only. */
  private static final class Peer {
    private final OutboundMessage echo;
    private final Set<String> orders = new HashSet<>();

    Peer(FixSession session) {
      echo = session.newMessage();
    }
  }

  /**
   * Makes the application.
   *
   * @param echoesEmail true to send Email(C) back, too
   */
  public EchoAcceptor(boolean echoesEmail) {
    this.echoesEmail = echoesEmail;
  }

  @Override
  public void onLogon(FixSession session) {
    peers.put(session, new Peer(session));
  }

  @Override
  public void onMessage(FixSession session, MessageView message) {
    Peer peer = peers.computeIfAbsent(session, Peer::new);
    int type = message.msgTypeKey();
    if (type == NEW_ORDER_SINGLE) {
      boolean isNew = peer.orders.add(message.string(CL_ORD_ID));
      if (isNew || !message.flag(Tag.POSS_RESEND, false)) {
        echo(peer, message);
      }
    } else if ((type == SECURITY_DEFINITION && session.id().beginString().compareTo("FIX.4.2") >= 0)
        || (type == EMAIL && echoesEmail)) {
      echo(peer, message);
    } else {
      session.rejectBusiness(message, RejectReason.BUSINESS_UNSUPPORTED_MESSAGE_TYPE, null);
    }
  }

  private static void echo(Peer peer, MessageView message) {
    OutboundMessage echo = peer.echo;
    if (echo.begin(message.msgTypeKey(), MAX_BODY_BYTES) != SendStatus.OK) {
      return;
    }
    for (int i = message.firstField(); i < message.endField() - 1; i++) {
      if (!isOfSession(message.tagAt(i)) && !isEmptyGroup(message, i)) {
        echo.copy(message, i);
      }
    }
    echo.send();
  }

  /**
   * Returns true for a group without entries: the engines for which the tests were written leave it out of the echo.
   */
  private static boolean isEmptyGroup(MessageView message, int index) {
    int tag = message.tagAt(index);
    return (tag == NO_RELATED_SYM || tag == NO_SECURITY_ALT_ID) && message.valueEquals(index, "0");
  }

  private static boolean isOfSession(int tag) {
    return switch (tag) {
      case Tag.POSS_RESEND, Tag.ON_BEHALF_OF_COMP_ID, Tag.ON_BEHALF_OF_SUB_ID, Tag.DELIVER_TO_COMP_ID,
          Tag.DELIVER_TO_SUB_ID ->
        false;
      default -> StandardHeader.contains(tag) || tag == Tag.CHECK_SUM;
    };
  }
}
