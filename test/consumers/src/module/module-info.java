/** The same application as a module. */
module app {
  requires dev.decant.core;
  requires dev.decant.carriers;
  requires dev.decant.fake.broker;
  requires dev.decant.fix;
  requires dev.decant.fix.quickfix;
  requires dev.decant.kafka.protocol;
  requires dev.decant.kafka;
  requires dev.decant.kafka.apache;
  requires dev.decant.kafka.streams;
  requires dev.decant.kafka.work;
  requires dev.decant.kafka.work.apache;
  requires dev.decant.spring.boot.starter;
  requires dev.decant.micronaut;
  requires dev.decant.spring.kafka;
  requires dev.decant.flink;
  requires dev.decant.kafka.codec.lz4;
  requires dev.decant.kafka.codec.snappy;
  requires dev.decant.kafka.codec.zstd;
  requires dev.decant.micrometer;
  requires dev.decant.opentelemetry;
  requires dev.decant.testkit;
  requires dev.decant.agent;

  uses dev.decant.kafka.compression.CompressionCodec;
}
