package dev.decant.fix.quickfix.settings;

import dev.decant.fix.Application;
import dev.decant.fix.FixSession;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** An application that adds the fields of the settings to its Logons. */
final class LogonFields implements Application {
  private final Application application;
  private final BiConsumer<FixSession, FieldWriter> fields;

  LogonFields(Application application, BiConsumer<FixSession, FieldWriter> fields) {
    this.application = application;
    this.fields = fields;
  }

  LogonFields(Application application, Consumer<FieldWriter> fields) {
    this(application, (session, logon) -> fields.accept(logon));
  }

  @Override
  public void onLogonToBeSent(FixSession session, FieldWriter logon) {
    fields.accept(session, logon);
    application.onLogonToBeSent(session, logon);
  }

  @Override
  public void onLogon(FixSession session) {
    application.onLogon(session);
  }

  @Override
  public void onLogout(FixSession session, String reason) {
    application.onLogout(session, reason);
  }

  @Override
  public void onMessage(FixSession session, MessageView message) {
    application.onMessage(session, message);
  }

  @Override
  public boolean mayResend(FixSession session, MessageView message) {
    return application.mayResend(session, message);
  }

  @Override
  public void onSessionMessageToBeSent(FixSession session, String msgType, FieldWriter fieldsOf) {
    application.onSessionMessageToBeSent(session, msgType, fieldsOf);
  }

  @Override
  public void onSessionMessage(FixSession session, MessageView message) {
    application.onSessionMessage(session, message);
  }

  @Override
  public void onMessageSent(FixSession session, MessageView message) {
    application.onMessageSent(session, message);
  }
}
