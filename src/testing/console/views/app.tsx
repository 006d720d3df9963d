/** App: the whole page. */

import type { Commands } from '../commands.js';
import { fragmentOf, type Tab } from '../route.js';
import { isMatch } from '../search.js';
import type { PageState } from '../state.js';
import type { EmulatorView } from '../wire.js';
import { Button, OpenDetails } from './controls.js';
import { DomainsView } from './domains-view.js';
import { EventsView } from './events-view.js';
import { FaultsView } from './faults-view.js';
import { scrollToTab } from './focus.js';
import { Header } from './header.js';
import { OrdersView } from './orders-view.js';
import { ProductsView } from './products-view.js';
import { RequestsView } from './requests-view.js';
import { StartView } from './start-view.js';
import { TokenForm } from './token-form.js';

interface AppProps {
  readonly state: PageState;
  readonly commands: Commands;
  readonly hasToken: boolean;
}

export function App({ state, commands, hasToken }: AppProps) {
  const { connection, emulator, notice, route } = state;
  if (connection === 'locked') return <TokenForm commands={commands} isWrong={hasToken} />;
  if (emulator === undefined) {
    return (
      <p class="empty">{connection === 'lost' ? 'The emulator does not respond.' : 'Loading …'}</p>
    );
  }
  const tab = route.tab ?? (state.requests.length === 0 ? 'start' : 'requests');
  const props = { state, emulator, commands };
  const curl = notice?.curl;
  return (
    <OpenDetails.Provider value={fragmentOf(tab, route.id)}>
      <Header {...props} />
      <Tabs tab={tab} state={state} emulator={emulator} />
      <p role="status" class={notice?.isError === true ? 'notice bad' : 'notice'}>
        {notice?.text}
        {curl !== undefined && (
          <Button onPress={() => commands.copy(curl)} title="Copy this call as curl">
            Copy as curl
          </Button>
        )}
      </p>
      <main>
        {tab === 'start' && <StartView {...props} hasToken={hasToken} />}
        {tab === 'requests' && <RequestsView {...props} />}
        {tab === 'orders' && <OrdersView {...props} />}
        {tab === 'events' && <EventsView {...props} />}
        {tab === 'domains' && <DomainsView {...props} />}
        {tab === 'products' && <ProductsView {...props} />}
        {tab === 'faults' && <FaultsView {...props} />}
      </main>
    </OpenDetails.Provider>
  );
}

interface TabsProps {
  readonly tab: Tab;
  readonly state: PageState;
  readonly emulator: EmulatorView;
}

function Tabs({ tab, state, emulator }: TabsProps) {
  const { search, requests } = state;
  const { counts, faults, orders, events, sessions, cases, links } = emulator;
  const products = [...sessions, ...cases, ...links];
  // With a search, each tab says how much of it was found there.
  const found = (items: readonly object[], all: number) =>
    search === '' ? all : items.filter((item) => isMatch(item, search)).length;
  const items: readonly (readonly [name: Tab, title: string, count?: number])[] = [
    ['requests', 'Requests', found(requests, requests.length)],
    ['orders', 'Orders', found(orders, counts.orders)],
    ['events', 'Events', found(events, counts.events)],
    ['domains', 'Domains'],
    ['products', 'Other products', found(products, products.length)],
    ['faults', 'Faults', faults.length],
    ['start', 'Start'],
  ];
  return (
    <nav aria-label="Console">
      {items.map(([name, title, count]) => (
        <a
          key={name}
          ref={name === tab ? scrollToTab : null}
          href={fragmentOf(name)}
          aria-current={name === tab ? 'page' : undefined}
        >
          {title} {count !== undefined && count > 0 && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
