/** Tests of the agent with a real broker. */
package dev.decant.agent;
