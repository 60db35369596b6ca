package dev.decant.lab.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;

/** A server with Netty's HTTP codec; the event loop computes. */
record NettyServer(Channel channel) implements LoopbackServer {
  private static final byte[] BODY = LoopbackServer.body();

  static NettyServer start(int loops, long workSteps) {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(loops, NioIoHandler.newFactory());
    ServerBootstrap server = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, BACKLOG).childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel connection) {
            connection.pipeline().addLast(new HttpServerCodec(), new Responses(workSteps));
          }
        });
    return new NettyServer(server.bind(LoopbackServer.anywhere()).syncUninterruptibly().channel());
  }

  @Override
  public int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  /** The handler of one connection. */
  private static final class Responses extends ChannelInboundHandlerAdapter {
    private final long workSteps;

    Responses(long workSteps) {
      this.workSteps = workSteps;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest request) {
        if (request.uri().startsWith(WORK_PATH)) {
          Computation.run(workSteps);
        }
        var response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
            Unpooled.wrappedBuffer(BODY));
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, BODY.length);
        var unused = context.write(response);
      }
      ReferenceCountUtil.release(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      var unused = context.close(); // the peer has closed the connection, which is how a run ends
    }
  }
}
