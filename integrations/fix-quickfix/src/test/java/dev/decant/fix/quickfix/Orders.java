package dev.decant.fix.quickfix;

import quickfix.Message;
import quickfix.field.BeginString;
import quickfix.field.ClOrdID;
import quickfix.field.HandlInst;
import quickfix.field.MsgType;
import quickfix.field.NoPartyIDs;
import quickfix.field.OrdType;
import quickfix.field.OrderQty;
import quickfix.field.PartyID;
import quickfix.field.PartyIDSource;
import quickfix.field.PartyRole;
import quickfix.field.PartySubID;
import quickfix.field.PartySubIDType;
import quickfix.field.Price;
import quickfix.field.Side;
import quickfix.field.Symbol;
import quickfix.field.TransactTime;

/** Orders that are valid in each version. */
final class Orders {
  private Orders() {}

  static Message order(String version, String id) {
    Message order = new Message();
    order.getHeader().setString(BeginString.FIELD, version);
    order.getHeader().setString(MsgType.FIELD, "D");
    order.setString(ClOrdID.FIELD, id);
    order.setChar(HandlInst.FIELD, '1');
    order.setString(Symbol.FIELD, "DECANT");
    order.setChar(quickfix.field.Side.FIELD, Side.BUY);
    order.setInt(OrderQty.FIELD, 100);
    order.setChar(OrdType.FIELD, OrdType.LIMIT);
    order.setString(Price.FIELD, "101.25");
    if (!version.equals("FIX.4.0")) {
      order.setString(TransactTime.FIELD, "20261127-08:00:00");
    }
    return order;
  }

  /** Two parties, of which the first has two entries of an inner group. */
  static Message orderOfParties(String id) {
    Message order = order("FIX.4.4", id);
    quickfix.fix44.NewOrderSingle.NoPartyIDs party = new quickfix.fix44.NewOrderSingle.NoPartyIDs();
    for (String name : new String[] {"FIRST", "SECOND"}) {
      party.clear();
      party.setString(PartyID.FIELD, name);
      party.setChar(PartyIDSource.FIELD, 'D');
      party.setInt(PartyRole.FIELD, 3);
      if (name.equals("FIRST")) {
        var desk = new quickfix.fix44.NewOrderSingle.NoPartyIDs.NoPartySubIDs();
        for (int i = 1; i <= 2; i++) {
          desk.setString(PartySubID.FIELD, "DESK" + i);
          desk.setInt(PartySubIDType.FIELD, 4);
          party.addGroup(desk);
        }
      }
      order.addGroup(party);
    }
    return order;
  }

  static int parties(Message order) {
    return order.getGroupCount(NoPartyIDs.FIELD);
  }
}
