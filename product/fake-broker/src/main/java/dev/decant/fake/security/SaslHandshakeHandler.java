package dev.decant.fake.security;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.SaslHandshakeRequest;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;

/** SaslHandshake: the client names its mechanism (KIP-43). With version 0, messages without headers follow. */
final class SaslHandshakeHandler implements ApiHandler<SaslHandshakeRequest, SaslHandshakeResponse> {
  private static final int FIRST_WITH_HEADERS = 1;

  private final ClientSessions sessions;
  private final Logins logins;

  SaslHandshakeHandler(ClientSessions sessions, Logins logins) {
    this.sessions = sessions;
    this.logins = logins;
  }

  @Override
  public void handle(SaslHandshakeRequest request, RequestContext context, Reply<SaslHandshakeResponse> reply) {
    ClientSession session = sessions.of(context.connection());
    if (session == null || !session.awaitsHandshake()) {
      reply.complete(refuse(request, context, ErrorCode.ILLEGAL_SASL_STATE));
      return;
    }
    boolean isTaken = session.begin(request.mechanism(), context.version() >= FIRST_WITH_HEADERS);
    ErrorCode error = isTaken ? ErrorCode.NONE : ErrorCode.UNSUPPORTED_SASL_MECHANISM;
    reply.complete(refuse(request, context, error).mechanisms(logins.mechanisms()));
  }

  @Override
  public SaslHandshakeResponse refuse(SaslHandshakeRequest request, RequestContext context, ErrorCode error) {
    return new SaslHandshakeResponse().errorCode(error.code());
  }
}
