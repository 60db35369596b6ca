package dev.decant.fix.interop;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import quickfix.Message;
import quickfix.field.ClOrdID;
import quickfix.field.HandlInst;
import quickfix.field.MsgType;
import quickfix.field.OrdType;
import quickfix.field.OrderQty;
import quickfix.field.Side;
import quickfix.field.Symbol;
import quickfix.field.TransactTime;

/** Orders that QuickFIX/J sends. */
final class QuickFixOrders {
  private QuickFixOrders() {}

  static Message order(String id) {
    Message order = new Message();
    order.getHeader().setString(MsgType.FIELD, "D");
    order.setString(ClOrdID.FIELD, id);
    order.setChar(HandlInst.FIELD, '1');
    order.setString(Symbol.FIELD, "QFJ");
    order.setChar(Side.FIELD, '1');
    order.setUtcTimeStamp(TransactTime.FIELD, LocalDateTime.now(ZoneOffset.UTC), true);
    order.setInt(OrderQty.FIELD, 100);
    order.setChar(OrdType.FIELD, '1');
    return order;
  }
}
