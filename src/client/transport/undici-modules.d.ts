/** undici's own module that is loaded without its index, which its types do not cover. */
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
