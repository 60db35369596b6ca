package dev.decant.net.tls;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** An engine that delegates all calls to one of the JDK's, as a library's engine may. */
class DelegatingEngine extends SSLEngine {
  private final SSLEngine engine;

  DelegatingEngine(SSLEngine engine) {
    super(engine.getPeerHost(), engine.getPeerPort());
    this.engine = engine;
  }

  @Override
  public void beginHandshake() throws SSLException {
    engine.beginHandshake();
  }

  @Override
  public void closeInbound() throws SSLException {
    engine.closeInbound();
  }

  @Override
  public void closeOutbound() {
    engine.closeOutbound();
  }

  @Override
  public @Nullable Runnable getDelegatedTask() {
    return engine.getDelegatedTask();
  }

  @Override
  public String[] getEnabledCipherSuites() {
    return engine.getEnabledCipherSuites();
  }

  @Override
  public String[] getEnabledProtocols() {
    return engine.getEnabledProtocols();
  }

  @Override
  public boolean getEnableSessionCreation() {
    return engine.getEnableSessionCreation();
  }

  @Override
  public HandshakeStatus getHandshakeStatus() {
    return engine.getHandshakeStatus();
  }

  @Override
  public boolean getNeedClientAuth() {
    return engine.getNeedClientAuth();
  }

  @Override
  public SSLSession getSession() {
    return engine.getSession();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return engine.getSupportedCipherSuites();
  }

  @Override
  public String[] getSupportedProtocols() {
    return engine.getSupportedProtocols();
  }

  @Override
  public boolean getUseClientMode() {
    return engine.getUseClientMode();
  }

  @Override
  public boolean getWantClientAuth() {
    return engine.getWantClientAuth();
  }

  @Override
  public boolean isInboundDone() {
    return engine.isInboundDone();
  }

  @Override
  public boolean isOutboundDone() {
    return engine.isOutboundDone();
  }

  @Override
  public void setEnabledCipherSuites(String[] value) {
    engine.setEnabledCipherSuites(value);
  }

  @Override
  public void setEnabledProtocols(String[] value) {
    engine.setEnabledProtocols(value);
  }

  @Override
  public void setEnableSessionCreation(boolean value) {
    engine.setEnableSessionCreation(value);
  }

  @Override
  public void setNeedClientAuth(boolean value) {
    engine.setNeedClientAuth(value);
  }

  @Override
  public void setUseClientMode(boolean value) {
    engine.setUseClientMode(value);
  }

  @Override
  public void setWantClientAuth(boolean value) {
    engine.setWantClientAuth(value);
  }

  @Override
  public @Nullable SSLSession getHandshakeSession() {
    return engine.getHandshakeSession();
  }

  @Override
  public SSLParameters getSSLParameters() {
    return engine.getSSLParameters();
  }

  @Override
  public void setSSLParameters(SSLParameters value) {
    engine.setSSLParameters(value);
  }

  @Override
  public @Nullable String getApplicationProtocol() {
    return engine.getApplicationProtocol();
  }

  @Override
  public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int first, int count) throws SSLException {
    return engine.unwrap(from, to, first, count);
  }

  @Override
  public SSLEngineResult wrap(ByteBuffer[] from, int first, int count, ByteBuffer to) throws SSLException {
    return engine.wrap(from, first, count, to);
  }
}
