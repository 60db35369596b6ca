package dev.decant.fake.security;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import java.nio.ByteBuffer;

/** SaslAuthenticate: handles a message of the mechanism (KIP-152), and returns the life of the session (KIP-368). */
final class SaslAuthenticateHandler implements ApiHandler<SaslAuthenticateRequest, SaslAuthenticateResponse> {
  private static final int FIRST_WITH_LIFETIME = 1;

  private final ClientSessions sessions;

  SaslAuthenticateHandler(ClientSessions sessions) {
    this.sessions = sessions;
  }

  @Override
  public void handle(SaslAuthenticateRequest request, RequestContext context,
      Reply<SaslAuthenticateResponse> reply) {
    ClientSession session = sessions.of(context.connection());
    if (session == null || !session.awaitsMessage()) {
      reply.complete(new SaslAuthenticateResponse().errorCode(ErrorCode.ILLEGAL_SASL_STATE.code())
          .errorMessage("SaslAuthenticate request received after successful authentication"));
      return;
    }
    ByteBuffer sent = request.authBytes().duplicate();
    byte[] message = new byte[sent.remaining()];
    sent.get(message);
    SaslAuthenticateResponse response = new SaslAuthenticateResponse();
    try {
      response.authBytes(ByteBuffer.wrap(session.message(message)));
      if (context.version() >= FIRST_WITH_LIFETIME) {
        response.sessionLifetimeMs(session.lifetimeMillis());
      }
    } catch (LoginException e) {
      String refusal = session.refusal(e);
      response.errorCode(ErrorCode.SASL_AUTHENTICATION_FAILED.code()).errorMessage(refusal);
      session.endWithResponse(refusal);
    }
    reply.complete(response);
  }

  @Override
  public SaslAuthenticateResponse refuse(SaslAuthenticateRequest request, RequestContext context, ErrorCode error) {
    ClientSession session = sessions.of(context.connection());
    if (session != null && error == ErrorCode.SASL_AUTHENTICATION_FAILED) {
      session.endWithResponse("a fault of the test has refused the login");
    }
    return new SaslAuthenticateResponse().errorCode(error.code()).errorMessage(error.description());
  }
}
